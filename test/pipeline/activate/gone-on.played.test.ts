import { expect, it } from "vitest";
import { newSetting } from "../commands/export/setting.ts";

const mapped = (...statuses: string[]) =>
  statuses.map((delta_status) => ({
    delta_status,
    connector_field: "records_per_batch",
    connector_field_value: 1,
  }));
const due = (day: number): string[] => ["--due", `2026-11-0${day}T06:00:00Z`];

/** An activation to a webhook, one row a request, of which the first run broke off behind the first of three rows. */
async function brokenOff() {
  const { home, receiver, env } = await newSetting();
  const give = (...ids: string[]): string =>
    home.write("people.sql", `select unnest(['${ids.join("', '")}']) as id, 'x' as content`);
  const activate = (statuses: string[], ...flags: string[]) => {
    const people = {
      sql_file: "people.sql",
      id_key: "id",
      delta_keys: ["content"],
      activation_mappings: mapped(...statuses),
      result_connection_name: "hook",
      result_connection_settings: { type: "webhook", url: receiver.url, secret: "__SAVED__" },
    };
    const authentications = { hook: { env: "HOOK" } };
    const config = { authentications, activations: { people } };
    const file = home.write("activations.json", JSON.stringify(config));
    return home.run(["--config", file, "activate", "people", ...flags], { env });
  };
  give("a", "b", "c");
  let seen = 0;
  receiver.fault(() => ((seen += 1) > 1 ? { status: 410 } : undefined));
  expect((await activate(["new"], ...due(1))).code).toBe(6);
  receiver.fault(undefined);
  const runs = () =>
    home.rows(
      "select outcome, rows_read, accepted, error from delivery_runs order by started_at, finished_at",
    );
  const ids = () => receiver.rows().map(({ id }) => id);
  return { give, activate, receiver, runs, ids };
}

it("what was gone on with is told and a run, where the comparison behind it fails", async () => {
  const { give, activate, runs, ids } = await brokenOff();
  give("a", "a");
  const { code, err } = await activate(["new"], ...due(2));
  expect(code).toBe(2);
  expect(ids()).toEqual(["a", "b", "c"]);
  expect(err).toContain("\n3 delivered\n");
  const told = /is not unique.*; before that, a delivery came to its end: 3 rows delivered in all/;
  expect(err).toMatch(told);
  expect(await runs()).toMatchObject([
    { outcome: "failed", accepted: "1" },
    { outcome: "delivered", rows_read: "3", accepted: "3", error: null },
    { outcome: "failed", rows_read: "0", accepted: "0", error: expect.stringMatching(told) },
  ]);
});

it("what arrived of a class whose mapping is taken away then is remembered, and not sent again", async () => {
  const { activate, runs, ids } = await brokenOff();
  const without = await activate(["deleted"]);
  expect(without).toMatchObject({ code: 0, err: expect.stringContaining("\n1 delivered\n") });
  expect(without.err).toMatch(/warning: new: its mapping is gone.*; 2 rows of it did not go out\n/);
  expect((await runs()).at(-1)).toMatchObject({ outcome: "delivered", accepted: "1" });
  const again = await activate(["new"]);
  expect(again).toMatchObject({ code: 0, err: expect.stringContaining("2 new, 0 updated") });
  expect(ids()).toEqual(["a", "b", "c"]);
});

it("what was refused of such a class is set aside, and tried again when asked for", async () => {
  const { activate, receiver, ids } = await brokenOff();
  let seen = 0;
  receiver.fault(() => ({ status: (seen += 1) === 1 ? 422 : 410 }));
  expect((await activate(["new"])).code).toBe(6);
  receiver.fault(undefined);
  expect(await activate(["deleted"])).toMatchObject({
    code: 6,
    err: expect.stringMatching(/new "b" refused: .*422.*\n1 delivered, 1 refused\n/),
  });
  expect((await activate(["new"])).code).toBe(0);
  expect(ids()).toEqual(["a", "c"]);
  expect((await activate(["new"], "--retry-refused")).code).toBe(0);
  expect(ids()).toEqual(["a", "c", "b"]);
});
