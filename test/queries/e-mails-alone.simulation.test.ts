import { afterAll, beforeAll, expect, it } from "vitest";
import { homeWithWarehouse, type TestHome } from "../support/home.ts";
import type { Row } from "../support/rows.ts";

// Actors are recorded by an id, by an e-mail only, or not at all; each report separates or joins them accordingly.
const noonS = Date.UTC(2026, 2, 2, 12) / 1000;
const dayS = 86_400;
const day = (number: number): string => `2026-03-0${number}`;
const manage = '{"Databases":[{"operation":"manage"}]}';
const ann = { user_email: "Ann@example.com" };
const policy = { resource_id: "p1", resource_name: "P1" };

const records = [
  // It is unknown who made the connection, and who used it.
  { event_name: "connection_create", resource_id: "c1", resource_name: "bucket" },
  { event_name: "job_result_export", resource_id: "77", target_resource_id: "c1" },
  // Ann makes a policy, fills it and joins it.
  { event_name: "permission_policy_create", user_id: 1, ...policy },
  { event_name: "permission_policy_modify", ...ann, ...policy, new_value: manage },
  { event_name: "permission_policy_attach_user", ...ann, ...policy, affected_user_id: 1 },
  // Bob lets her in to another one, which she filled.
  { event_name: "permission_policy_modify", ...ann, resource_id: "p2", new_value: manage },
  {
    event_name: "permission_policy_attach_user",
    user_id: 2,
    resource_id: "p2",
    affected_user_id: 1,
  },
  {
    event_name: "user_modify",
    ...ann,
    resource_id: "1",
    attribute_name: "administrator",
    old_value: "false",
    new_value: "true",
  },
  { event_name: "job_result_download", user_id: 1, resource_id: "5", bytesize: 7 },
  { event_name: "sign_in", ...ann },
].map((record, i) => ({ id: `e${i}`, time: noonS + i * 60, old_value: "{}", ...record }));

const before = [
  // A user whom only the log has had the e-mail that another one has now.
  { event_name: "sign_in", time: noonS - 3 * dayS, user_id: 8, user_email: "again@example.com" },
  { event_name: "sign_in", time: noonS - 2 * dayS, user_email: "dan@example.com" },
  { event_name: "sign_in", time: noonS, user_email: "former@example.com" },
].map((record, i) => ({ id: `b${i}`, ...record }));

const users = [
  { id: 1, email: "ann@example.com" },
  { id: 2, email: "bob@example.com" },
  { id: 4, email: "dan@example.com" },
  { id: 6, email: "renamed@example.com" },
  { id: 9, email: "again@example.com" },
];

let home: TestHome;
beforeAll(async () => {
  home = await homeWithWarehouse();
  const first = users.map((user) =>
    user.id === 6 ? { ...user, email: "former@example.com" } : user,
  );
  for (const [i, list] of [first, users].entries()) {
    const file = home.write(`${i}.json`, JSON.stringify([...records, ...before]));
    const argv = ["import", file, "--users", home.write(`users-${i}.json`, JSON.stringify(list))];
    expect(await home.run(argv)).toMatchObject({ code: 0 });
  }
});
afterAll(() => home[Symbol.dispose]());

const ask = (report: string, ...params: string[]): Promise<Row[]> =>
  askedAt(home, report, ...params);

async function askedAt(at: TestHome, report: string, ...params: string[]): Promise<Row[]> {
  const isAtMoment = report === "service_account_access";
  const range = isAtMoment ? ["--param", `on=${day(3)}`] : ["--since", day(2), "--until", day(3)];
  const argv = ["report", "run", report, ...range, ...params, "--format", "json"];
  const { code, out, err } = await at.run(argv);
  expect(code, err).toBe(0);
  return JSON.parse(out) as Row[];
}

/** Loads records, and users of whom one was read under another e-mail before. */
async function loadRenamed(home: TestHome, records: readonly unknown[]): Promise<void> {
  const file = home.write("r.json", JSON.stringify(records));
  const former = users.map((user) =>
    user.id === 6 ? { ...user, email: "former@example.com" } : user,
  );
  for (const list of [former, users]) {
    const argv = ["import", file, "--users", home.write("u.json", JSON.stringify(list))];
    expect(await home.run(argv)).toMatchObject({ code: 0 });
  }
}

it("two events without a person do not belong to one person", async () => {
  expect(await ask("connections_used_at_once")).toEqual([]);
});

it("self-grants are found by e-mail", async () => {
  const toSelf = async (report: string): Promise<unknown[]> =>
    (await ask(report)).map((row) => [row["actor"], row["to_self"]]);
  const own = ["ann@example.com", true];
  expect(await toSelf("full_access_granted")).toEqual([
    ["ann@example.com", false],
    own,
    ["ann@example.com", false],
    ["bob@example.com", false],
    own,
  ]);
  expect(await toSelf("administrator_changes")).toEqual([own]);
});

it("a policy is granted by another user only if it is another person", async () => {
  expect(await ask("two_step_grants")).toMatchObject([
    { actor: "bob@example.com", member: "ann@example.com", policy_id: "p2", rights_given: 1 },
  ]);
});

it("the sign-ins of a person who is recorded by e-mail only are found", async () => {
  expect(await ask("service_account_access")).toEqual([]);
  expect(await ask("service_account_access", "--param", "accounts=ann%")).toMatchObject([
    { last_seen_at: "2026-03-02T12:09:00Z" },
    { last_seen_at: "2026-03-02T12:09:00Z" },
    { last_seen_at: "2026-03-02T12:09:00Z" },
  ]);
});

it("a user is active if their previous e-mail was, and not by actions of another user", async () => {
  const rows = await ask("inactive_users");
  expect(rows.map((row) => [row["actor"], row["last_seen_at"]])).toEqual([
    ["dan@example.com", "2026-02-28T12:00:00Z"],
    ["again@example.com", null],
  ]);
});

it("a right counts as used if the log has its user by e-mail alone, now or earlier", async () => {
  using other = await homeWithWarehouse();
  const set = '{"Databases":[{"operation":"query","ids":"3"}]}';
  const renames = [
    { event_name: "database_create", resource_id: "3", resource_name: "crm" },
    { event_name: "permission_policy_create", ...policy },
    { event_name: "permission_policy_modify", ...policy, old_value: "{}", new_value: set },
    ...[1, 6, 9].map((affected_user_id) => ({
      event_name: "permission_policy_attach_user",
      ...policy,
      affected_user_id,
    })),
    { event_name: "table_preview", resource_name: "crm.t", ...ann },
    {
      event_name: "job_issue",
      resource_id: "5",
      resource_name: "crm.5",
      user_email: "former@example.com",
    },
  ].map((record, i) => ({ id: `u${i}`, time: noonS + i * 60, ...record }));
  await loadRenamed(other, renames);
  const now = (): number => (noonS + dayS) * 1000;
  const answer = async (...argv: string[]): Promise<string> => {
    const { code, out, err } = await other.run(argv, { now });
    expect(code, err).toBe(0);
    return out;
  };
  const range = ["--since", day(2), "--until", day(3), "--format", "json"];
  const unused = JSON.parse(await answer("report", "run", "unused_grants", ...range)) as Row[];
  expect(unused.map((row) => row["holder"])).toEqual(["again@example.com"]);
  expect(JSON.parse(await answer("report", "run", "unused_rights", ...range))).toEqual([]);
  const lost = await answer("policy", "propose", "p1", "--unused", "365d", "--format", "csv");
  // No user loses anything: only the header is printed.
  expect(lost.trim().split("\n")).toHaveLength(1);
});

it("users known by e-mail only, also a previous one, are found in their policies, downloads and presence", async () => {
  using other = await homeWithWarehouse();
  const renames = [
    { event_name: "sign_in", time: noonS - 40 * dayS, user_email: "former@example.com" },
    { event_name: "permission_policy_create", user_id: 2, ...policy },
    {
      event_name: "permission_policy_attach_user",
      user_id: 2,
      ...policy,
      affected_user_id: 6,
    },
    { event_name: "sign_in", user_email: "former@example.com" },
    {
      event_name: "permission_policy_modify",
      user_email: "former@example.com",
      ...policy,
      old_value: "{}",
      new_value: manage,
    },
    {
      event_name: "job_result_download",
      user_email: "renamed@example.com",
      resource_id: "5",
      bytesize: 7,
    },
    { event_name: "role_attach_user", user_id: 2, resource_id: "r", affected_user_id: 6 },
  ].map((record, i) => ({ id: `f${i}`, time: noonS + i * 60, ...record }));
  await loadRenamed(other, renames);
  const rows = (report: string): Promise<Row[]> => askedAt(other, report);
  expect(await rows("self_grants")).toMatchObject([
    { actor: "former@example.com", how: "to own policy", subject: "P1", user_id: null },
  ]);
  // They were there again right after the first of them.
  expect(await rows("dormant_user_grants")).toMatchObject([
    {
      subject_id: "6",
      event_time: "2026-03-02T12:02:00Z",
      last_seen_at: "2026-01-21T12:00:00Z",
    },
  ]);
  expect(await rows("service_account_access")).toEqual([]);
});
