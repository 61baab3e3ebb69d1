import { afterAll, beforeAll, expect, test } from "vitest";
import { findPersonKeys } from "../../../../pipeline/answers/investigate/person.ts";
import {
  collectAccess,
  readEndedRights,
  readGivenRights,
  readOtherMembers,
  readRightsNow,
  readStrongestGrants,
} from "../../../../pipeline/answers/investigate/person-rights.ts";
import { readHolders } from "../../../../pipeline/answers/investigate/thing.ts";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import { type Database, openPublished } from "../../../../pipeline/core/store/open.ts";
import { formatLines, homeWithWarehouse, type TestHome } from "../../../support/home.ts";

const noonMs = Date.UTC(2026, 2, 2, 12);
const atMinute = (minute: number): number => noonMs + 60_000 * minute;
const nothing = '{"Databases":[]}';
const query = '{"Databases":[{"operation":"query","ids":"3"}]}';
const manage = '{"Databases":[{"operation":"manage"}]}';

const at = (minute: number, by: number, event_name: string, more: object): object => ({
  id: `${minute}-${event_name}-${JSON.stringify(more)}`,
  time: atMinute(minute) / 1000,
  event_name,
  user_id: by,
  user_email: `user${by}@example.com`,
  ...more,
});
const policy = { resource_id: "7", resource_name: "Full access" };
const attach = (minute: number, affected_user_id: number): object =>
  at(minute, 1, "permission_policy_attach_user", { ...policy, affected_user_id });
const edit = (minute: number, by: number, old_value: string, new_value: string): object =>
  at(minute, by, "permission_policy_modify", {
    ...policy,
    attribute_name: "permissions",
    old_value,
    new_value,
  });

// User 20 widens the policy that they belong to, and user 1 takes it back.
const first = [
  at(0, 1, "database_create", { resource_id: "3", resource_name: "sales" }),
  at(0, 1, "permission_policy_create", policy),
  edit(1, 1, nothing, query),
  attach(2, 20),
  attach(2, 21),
  attach(3, 22),
  edit(5, 20, query, manage),
  at(6, 21, "permission_policy_attach_user", {
    resource_id: "8",
    resource_name: "Analysts",
    affected_user_id: 21,
  }),
  at(8, 1, "permission_policy_detach_user", { ...policy, affected_user_id: 22 }),
  edit(9, 1, manage, query),
  edit(14, 1, query, query.replace('"3"', '"4"')),
];
// Another source has the same ids.
const second = [edit(4, 1, nothing, manage), attach(4, 20), attach(4, 23)];

const range = { sinceMs: atMinute(-10), untilMs: atMinute(20) };
const user = { source: "first", userId: "20" };
let home: TestHome;
let database: Database;

beforeAll(async () => {
  home = await homeWithWarehouse();
  const users = [1, 20, 21, 22, 23].map((id) => ({ id, email: `user${id}@example.com` }));
  const list = home.write("users.json", JSON.stringify({ users }));
  for (const [source, records] of Object.entries({ first, second })) {
    const file = home.write(`${source}.ndjson`, formatLines(records as never));
    const argv = ["--source", source, "import", file, "--users", list];
    const { code, err } = await home.run(argv);
    expect(code, err).toBe(0);
  }
  const { published } = resolveHome(home.home);
  database = await openPublished(published, { memoryLimit: "500MB", threads: 1 });
}, 60_000);
afterAll(async () => {
  await database[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

const listHeld = async (minute: number): Promise<unknown[]> => {
  await collectAccess(database.connection, user);
  const held = await readRightsNow(database.connection, user, atMinute(minute));
  return held.map((each) => [
    each.way,
    each.operation,
    each.reach,
    each.names,
    each.sinceMs,
    each.grantedBy,
  ]);
};
const membership = [
  "member",
  "member",
  null,
  "Full access",
  atMinute(2),
  "user1@example.com",
] as const;

test("rights at a moment are those in force then, by right and way", async () => {
  expect(await listHeld(1)).toEqual([]);
  expect(await listHeld(7)).toEqual([
    ["policy", "manage", "every database", null, atMinute(5), "user20@example.com"],
    membership,
  ]);
  expect(await listHeld(12)).toEqual([
    membership,
    ["policy", "query", "one database", "sales", atMinute(9), "user1@example.com"],
  ]);
});

test("rights that ended are those without another way, with who ended the strongest", async () => {
  const read = async (minute: number): Promise<unknown[]> => {
    await collectAccess(database.connection, user);
    const ended = await readEndedRights(database.connection, user, atMinute(minute));
    return ended.map((each) => [each.operation, each.reach, each.endedMs, each.endedBy]);
  };
  expect(await read(12)).toEqual([["manage", "every database", atMinute(9), "user1@example.com"]]);
  expect(await read(7)).toEqual([["query", "one database", atMinute(5), "user20@example.com"]]);
  // The same right on another database is another right.
  expect(await read(16)).toEqual([
    ["manage", "every database", atMinute(9), "user1@example.com"],
    ["query", "one database", atMinute(14), null],
    ["query", "one database", atMinute(5), null],
  ]);
  expect(await read(12 + 31 * 24 * 60)).toEqual([]);
});

test("rights that a person granted and revoked are counted, full control separately", async () => {
  const read = async (person: string): Promise<unknown> => {
    const all = await findPersonKeys(database.connection, person);
    const keys = all.filter(({ source }) => source === "first");
    const given = await readGivenRights(database.connection, keys, range);
    const grants = await readStrongestGrants(database.connection, keys, range, 5);
    return [
      given.map(({ change, isFull, changes }) => [change, isFull, changes]),
      grants.map((each) => [each.timeMs, each.operation, each.receiver, each.isOwn]),
    ];
  };
  expect(await read("user1@example.com")).toEqual([
    [
      ["granted", false, 6],
      ["revoked", false, 2],
      ["revoked", true, 1],
    ],
    [],
  ]);
  expect(await read("20")).toEqual([
    [
      ["granted", true, 1],
      ["revoked", false, 1],
    ],
    [[atMinute(5), "manage", "Full access", false]],
  ]);
});

test("other members are those of the policies that granted full access, of one source", async () => {
  await collectAccess(database.connection, user);
  const members = await readOtherMembers(database.connection, user, range, 10);
  expect(members.map((each) => [each.policy, each.person, each.sinceMs, each.untilMs])).toEqual([
    ["Full access", "user21@example.com", atMinute(2), null],
    ["Full access", "user22@example.com", atMinute(3), atMinute(8)],
  ]);
  const early = { sinceMs: atMinute(-10), untilMs: atMinute(4) };
  expect(await readOtherMembers(database.connection, user, early, 10)).toEqual([]);
});

test("rights to a database are those on it and those on every database", async () => {
  const read = async (minute: number): Promise<unknown[]> => {
    const holders = await readHolders(database.connection, "Sales", atMinute(minute), 10);
    return holders.map((each) => [each.person, each.operation, each.isFull, each.holders]);
  };
  expect(await read(3.5)).toEqual(
    [22, 20, 21].map((id) => [`user${id}@example.com`, "query", false, 3]),
  );
  expect(await read(7)).toEqual(
    [20, 21, 22].map((id) => [`user${id}@example.com`, "manage", true, 3]),
  );
  // The same policy of the other source reaches no database of this one.
  expect(await read(12)).toEqual(
    [20, 21].map((id) => [`user${id}@example.com`, "query", false, 2]),
  );
});

test("all rights that a person granted to their own account are among the strongest grants", async () => {
  const keys = await findPersonKeys(database.connection, "user21@example.com");
  expect(await readStrongestGrants(database.connection, keys, range, 5)).toMatchObject([
    { timeMs: atMinute(6), operation: "member", object: "Analysts", isOwn: true },
  ]);
});
