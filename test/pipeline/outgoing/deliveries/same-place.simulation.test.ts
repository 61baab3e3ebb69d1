import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  startWebhook,
  type WebhookDestination,
} from "../../../../fixtures/destinations/webhook.ts";
import { newLedger } from "../../../../pipeline/outgoing/targets/ledger.ts";
import { isElsewhere, keepPlace } from "../../../../pipeline/outgoing/deliveries/delivery.ts";
import { target as targetSchema } from "../../../../schemas/connectors.ts";
import { newHooked } from "../../cli/export/hooked.ts";

// A delivery stays with the place where it started: its halves are never in two places.

const toHook = ["rows", "--to", "hook"];
const due = (day: number): string[] => ["--due", `2026-11-0${day}T06:00:00Z`];

/** A delivery of three rows that broke off behind the first, and a target that points elsewhere since. */
async function move(...flags: string[]) {
  const setting = await newHooked("b", "c", "d");
  const { home, receiver } = setting;
  receiver.fault(({ body }) => (body.includes('"c"') ? { status: 410 } : undefined));
  expect((await setting.run([...toHook, ...flags])).code).toBe(6);
  receiver.fault(undefined);
  const other = await startWebhook();
  onTestFinished(() => other[Symbol.asyncDispose]());
  const file = join(home.folder, "auditlake.json");
  const aimAt = ({ url }: WebhookDestination): void => {
    const config = JSON.parse(readFileSync(file, "utf8")) as {
      targets: { hook: { url: string } };
    };
    const { pathname } = new URL(config.targets.hook.url);
    config.targets.hook.url = url + pathname;
    home.write("auditlake.json", JSON.stringify(config));
  };
  aimAt(other);
  const names = (at: WebhookDestination): unknown[] => at.rows().map((row) => row["name"]);
  return { ...setting, other, aimAt, names };
}

describe("an export whose target changed its place since it was started", () => {
  it.each([[], ["--dry-run"], ["--retry-refused"]])("is not resumed there %s", async (...flags) => {
    const { run, other, names, receiver } = await move();
    const { code, err } = await run([...toHook, ...flags]);
    expect(code).toBe(2);
    expect(err).toMatch(/target hook now points to \S+, but .*nothing was sent.*--new/);
    expect([names(receiver), names(other)]).toEqual([["b"], []]);
  });

  it("is resumed once the target is restored", async () => {
    const { run, aimAt, names, receiver } = await move();
    aimAt(receiver);
    expect(await run(toHook)).toMatchObject({
      code: 0,
      err: expect.stringContaining("rows to hook: 3 rows delivered\n"),
    });
    expect(names(receiver)).toEqual(["b", "c", "d"]);
  });

  it("sends another delivery there completely", async () => {
    const { run, other, names, receiver } = await move();
    expect((await run([...toHook, "--new"])).code).toBe(0);
    expect([names(receiver), names(other)]).toEqual([["b"], ["b", "c", "d"]]);
  });

  it("reports the rest at the next scheduled time, and another one starts there", async () => {
    const { run, other, names, receiver } = await move(...due(1));
    const { code, err } = await run([...toHook, ...due(2)]);
    expect(code).toBe(0);
    expect(err).toMatch(
      /a new delivery starts; unsent rows of the one started \S+: 2 rows not sent\n/,
    );
    expect([names(receiver), names(other)]).toEqual([["b"], ["b", "c", "d"]]);
  });
});

describe("the place of a delivery", () => {
  const cloud = {
    type: "marketing_cloud_v2",
    client_id: "a",
    client_secret: "b",
    auth_uri: "https://a.example/",
    de_name: "People",
    folder_path: "/one",
  };
  const hook = {
    type: "webhook",
    url: "https://a.example/in",
    secret: "whsec_c2VjcmV0LXNlY3JldA==",
  };
  const folder = { type: "file", folder: "/srv/out" };

  it.each<[before: object, change: object, isOther: boolean]>([
    [cloud, {}, false],
    [cloud, { client_secret: "c", records_per_batch: 100, continue_on_failure: false }, false],
    [cloud, { de_name: "Others" }, true],
    [cloud, { folder_path: "/two" }, true],
    [cloud, { auth_uri: "https://b.example/" }, true],
    [cloud, { client_id: "b" }, true],
    [cloud, { data_operation: "replace" }, true],
    [hook, { records_per_batch: 7 }, false],
    [hook, { url: "HTTPS://a.example:443/in" }, false],
    [hook, { url: "https://a.example/other" }, true],
    // Each attempt brings all of it.
    [folder, { folder: "/srv/other" }, false],
  ])("of %j with %j is another one: %s", async (before, change, isOther) => {
    const of = (written: object) => ({ ...targetSchema.parse(written), name: "t" });
    const ledger = newLedger();
    await keepPlace(of(before), ledger);
    const now = of({ ...before, ...change });
    expect(isElsewhere(now, ledger)).toBe(isOther);
    const again = keepPlace(now, ledger);
    await (isOther ? expect(again).rejects.toThrow("now points to") : again);
  });
});
