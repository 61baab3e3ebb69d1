import { afterAll, beforeAll, expect, it } from "vitest";
import { homeWithWarehouse, formatLines, type TestHome } from "../../../support/home.ts";
import type { Outcome } from "../../../support/command.ts";
import type { Row } from "../../../support/rows.ts";

// A policy without any evidence of its permissions is reported as unknown: that is different from empty.

const start = Date.UTC(2026, 2, 2, 12);
const moment = (minute: number): string => new Date(start + 60_000 * minute).toISOString();
const at = (
  minute: number,
  event_name: string,
  resource_id: string,
  more: object = {},
): object => ({
  id: `${minute}-${event_name}-${resource_id}`,
  time: start / 1000 + 60 * minute,
  event_name: `permission_policy_${event_name}`,
  user_email: "root@example.com",
  resource_id,
  resource_name: `Policy ${resource_id}`,
  ...more,
});
const set = (ids: string): string => `{"Databases":[{"operation":"query","ids":"${ids}"}]}`;
const empty = '{"Databases":[]}';
const attached = { affected_user_id: 20 };

const records = [
  at(1, "create", "1"),
  at(1, "attach_user", "2", attached),
  at(1, "attach_user", "3", attached),
  at(1, "attach_user", "4", attached),
  at(1, "attach_user", "5", attached),
  at(9, "modify", "3", { new_value: set("7,8") }),
  at(9, "modify", "4", { old_value: set("7"), new_value: set("7,8") }),
  at(9, "modify", "5", { new_value: empty }),
  at(1, "create", "6"),
  at(9, "modify", "6", { new_value: '{"Databases":[{"operation":"manage"}]}' }),
];

let home: TestHome;
beforeAll(async () => {
  home = await homeWithWarehouse();
  const log = home.write("log.ndjson", formatLines(records as never));
  const users = home.write("users.json", '{"users":[{"id":20,"email":"ann@example.com"}]}');
  const now = (): number => start + 3_600_000;
  expect(await home.run(["import", log, "--users", users], { now })).toMatchObject({ code: 0 });
});
afterAll(() => home[Symbol.dispose]());

const ask = (...argv: string[]): Promise<Outcome> =>
  home.run(argv, { now: () => start + 7_200_000 });

// What is known of each policy's permissions: a number, or nothing.
it.each([
  // A change shows what it replaced, and that this was empty if it states so.
  [5, [0, null, 0, 1, 0, 0], []],
  [10, [0, null, 2, 2, 0, 1], ["6"]],
])(
  "the list has no number for a policy with unknown permissions, minute %i",
  async (minute, permissions, full) => {
    const { out, err } = await ask("policy", "list", "--on", moment(minute), "--format", "ndjson");
    const rows = out
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Row);
    expect(rows.map((row) => row["permissions"])).toEqual(permissions);
    expect(rows.map((row) => row["has_full_access"])).toEqual(
      permissions.map((each, i) => (each === null ? null : full.includes(String(i + 1)))),
    );
    expect(err).toContain("permissions of policy Policy 2 (2) are in neither log nor snapshots;");
  },
);

it.each([
  [["policy", "get", "2"], true],
  [["policy", "get", "3"], false],
  [["policy", "diff", "3", "2"], true],
  [["policy", "diff", "3", "4"], false],
  [["access", "what", "ann@example.com"], true],
])("%j names a policy with unknown permissions if it is relevant: %s", async (argv, isNamed) => {
  const { err } = await ask(...argv, "--on", moment(10));
  expect(
    err.includes(
      "permissions of policy Policy 2 (2) are in neither log nor snapshots; policy snapshot reads them",
    ),
  ).toBe(isNamed);
});

it("no proposal is made for a policy with unknown permissions", async () => {
  expect(await ask("policy", "propose", "2")).toMatchObject({
    code: 2,
    err: expect.stringContaining(
      "permissions of policy Policy 2 (2) are in neither log nor snapshots",
    ),
  });
});
