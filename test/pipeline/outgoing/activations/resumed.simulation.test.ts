import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newSetting } from "../../cli/export/setting.ts";

const mapAll = (...statuses: string[]) =>
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
  const runConfigured = (statuses: string[]): string => {
    const people = {
      sql_file: "people.sql",
      id_key: "id",
      delta_keys: ["content"],
      activation_mappings: mapAll(...statuses),
      result_connection_name: "hook",
      result_connection_settings: { type: "webhook", url: receiver.url, secret: "__SAVED__" },
    };
    const authentications = { hook: { env: "HOOK" } };
    const config = { authentications, activations: { people } };
    return home.write("activations.json", JSON.stringify(config));
  };
  const verb = (file: string, ...argv: string[]) =>
    home.run(["--config", file, "activate", ...argv], { env });
  const activate = (statuses: string[], ...flags: string[]) =>
    verb(runConfigured(statuses), "people", ...flags);
  const forget = (how: "reset" | "resync") => verb(runConfigured(["new"]), how, "people", "--yes");
  give("a", "b", "c");
  let seen = 0;
  receiver.fault(() => ((seen += 1) > 1 ? { status: 410 } : undefined));
  expect((await activate(["new"], ...due(1))).code).toBe(6);
  receiver.fault(undefined);
  const runs = () =>
    home.rows(
      "select outcome, rows_read, accepted, error from delivery_runs order by started_at, finished_at",
    );
  const numbers = async () =>
    (await home.rows("select number from activation_runs order by started_at, finished_at")).map(
      ({ number }) => number,
    );
  const ids = () => receiver.rows().map(({ id }) => id);
  const listKept = (): string[] =>
    readdirSync(join(home.home, "outbox", "activation-people")).filter((name) =>
      name.startsWith("people-"),
    );
  expect(listKept()).toContain("people-1-new.rows");
  return { give, activate, forget, receiver, runs, numbers, ids, kept: listKept };
}

it("a resumed delivery is reported, and counts as a run, if the comparison after it fails", async () => {
  const { give, activate, runs, numbers, ids, kept } = await brokenOff();
  give("a", "a");
  const { code, err } = await activate(["new"], ...due(2));
  expect(code).toBe(2);
  expect(ids()).toEqual(["a", "b", "c"]);
  expect(err).toContain("\n3 delivered\n");
  const failure = /is not unique.*; before that, a delivery ended: 3 rows delivered in all/;
  expect(err).toMatch(failure);
  expect(kept()).toEqual([]);
  expect(await numbers()).toEqual(["1", "1", "2"]);
  expect(await runs()).toMatchObject([
    { outcome: "failed", accepted: "1" },
    { outcome: "delivered", rows_read: "3", accepted: "3", error: null },
    { outcome: "failed", rows_read: "0", accepted: "0", error: expect.stringMatching(failure) },
  ]);
});

it("the delivered rows of a class whose mapping is then removed are stored, and not sent again", async () => {
  const { activate, runs, ids } = await brokenOff();
  const without = await activate(["deleted"]);
  expect(without).toMatchObject({ code: 0, err: expect.stringContaining("\n1 delivered\n") });
  expect(without.err).toMatch(
    /warning: new: its mapping was removed.*; 2 rows of it were not sent\n/,
  );
  expect((await runs()).at(-1)).toMatchObject({ outcome: "delivered", accepted: "1" });
  const again = await activate(["new"]);
  expect(again).toMatchObject({ code: 0, err: expect.stringContaining("2 new, 0 updated") });
  expect(ids()).toEqual(["a", "b", "c"]);
});

it("refused rows of a removed mapping wait, and are retried on request", async () => {
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

it.each([
  ["resync", ["a", "x"]],
  ["reset", ["a", "a", "b", "c", "x"]],
] as const)(
  "%s deletes the data of an interrupted delivery, and nothing resumes it",
  async (how, expected) => {
    const { give, activate, forget, ids, kept } = await brokenOff();
    expect((await forget(how)).code).toBe(0);
    expect(kept()).toEqual([]);
    give("a", "b", "c", "x");
    const next = await activate(["new"]);
    expect([next.code, next.err.includes("goes on")]).toEqual([0, false]);
    expect([ids(), kept()]).toEqual([expected, []]);
  },
);
