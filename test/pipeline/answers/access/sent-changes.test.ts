import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { keepChange } from "../../../../pipeline/answers/access/log.ts";
import { listSentChanges } from "../../../../pipeline/answers/access/sent-changes.ts";
import { homeWithWarehouse, type TestHome } from "../../../support/home.ts";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import type { Settings } from "../../../../pipeline/base/home/settings.ts";
import { configSchema } from "../../../../schemas/config.ts";

// A change is proven by an event of the log that shows its set, some minutes around the moment of sending.
const minuteMs = 60_000;
const loggedMs = Date.UTC(2026, 2, 1, 12);
const set = { Databases: [{ operation: "query", ids: "1" }] };
const former = { Databases: [{ operation: "query", ids: "2" }] };
let home: TestHome;
let settings: Settings;

beforeAll(async () => {
  home = await homeWithWarehouse();
  const event = {
    time: loggedMs / 1000,
    event_name: "permission_policy_modify",
    resource_id: "7",
    old_value: JSON.stringify(former),
    new_value: JSON.stringify(set),
    requested_http_verb: "PATCH",
    requested_path_info: "/v4/access_control/policies/7/permissions",
    user_id: 5,
  };
  expect(await home.load([event])).toMatchObject({ code: 0 });
  settings = {
    home: resolveHome(home.home),
    config: configSchema.parse({}),
    configFile: undefined,
    configFolder: join(home.folder),
    flags: { logLevel: "silent", progress: "none", quiet: true },
  };
});
afterAll(() => home[Symbol.dispose]());

async function readProof(sentMs: number, before: object, apiUser: string | null): Promise<unknown> {
  const kept = { version: 1 as const, source: "default", policy_id: "7", verb: "set" };
  await keepChange(settings.home, {
    ...kept,
    change_id: "c1",
    sent_at: new Date(sentMs).toISOString(),
    by_whom: "ana",
    api_user: apiUser,
    reason: null,
    before: JSON.stringify(before),
    after: JSON.stringify(set),
    outcome: "in_place",
  });
  const { columns, rows } = await listSentChanges(settings);
  expect(rows[0]![columns.indexOf("added")]).toBe("1");
  return rows[0]![columns.indexOf("confirmed_by")];
}

const aKey = expect.stringMatching(/^[0-9a-f]{32}$/);

it.each([
  [-16, false],
  [-14, true],
  [0, true],
  [4, true],
  [6, false],
])("a set sent %i minutes after the event: %s", async (minutes, isProven) => {
  const proof = await readProof(loggedMs + minutes * minuteMs, former, null);
  expect(proof).toEqual(isProven ? aKey : null);
});

it.each([
  [former, "5", true],
  [former, "6", false],
  [{ Databases: [] }, "5", false],
])("a change with %j before and the key of user %s: %s", async (before, apiUser, isProven) => {
  expect(await readProof(loggedMs, before, apiUser)).toEqual(isProven ? aKey : null);
});
