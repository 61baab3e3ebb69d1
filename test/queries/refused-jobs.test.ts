import { afterAll, beforeAll, expect, test } from "vitest";
import { readingTexts } from "../support/command.ts";
import { homeWithWarehouse, type TestHome } from "../support/home.ts";

// What was denied or failed did not take place: it makes no job, ends none, and is no use of a table or a right.
const start = Date.UTC(2026, 2, 1, 10) / 1000;
const [runner, prober] = [2, 4];
const refusals = ["denied", "Forbidden", "failed", " ERROR "];
const job = (id: string): object => ({ resource_id: id, resource_name: `crm.${id}` });
const buildStatus = (id: string, status: string): object => ({
  event_name: "job_modify",
  ...job(id),
  attribute_name: "status",
  new_value: status,
});
const dropping = { job_type: "presto", query_text: "drop table salaries" };
const reading = { job_type: "presto", query_text: "select email from customers" };
const policy = { resource_id: "77", resource_name: "Analysts" };
const records: readonly object[] = [
  { event_name: "database_create", user_id: 1, resource_id: "50", resource_name: "crm" },
  { event_name: "permission_policy_create", user_id: 1, ...policy },
  {
    event_name: "permission_policy_modify",
    user_id: 1,
    ...policy,
    old_value: "{}",
    new_value: JSON.stringify({ Databases: [{ operation: "query", ids: "50" }] }),
  },
  {
    event_name: "permission_policy_attach_user",
    user_id: 1,
    ...policy,
    affected_user_id: prober,
  },
  { event_name: "job_issue", user_id: runner, ...job("900"), ...reading },
  { ...buildStatus("900", "running"), user_id: runner },
  ...refusals.flatMap((event_result, i) => [
    { event_name: "job_kill", event_result, user_id: 3, ...job("900") },
    { ...buildStatus("900", "error"), event_result, user_id: 3 },
    { event_name: "job_issue", event_result, user_id: prober, ...job(`91${i}`), ...dropping },
    { event_name: "job_issue", event_result, user_id: prober, ...job(`92${i}`), ...reading },
    { event_name: "query_run", event_result, user_id: prober, resource_id: "5", ...dropping },
  ]),
];

let home: TestHome;
beforeAll(async () => {
  home = await homeWithWarehouse();
  const timed = records.map((record, i) => ({ id: `e${i}`, time: start + i, ...record }));
  // Refusals that come later, alone, say no more than those that come with the job.
  expect((await home.load(timed.slice(0, 10), { env: readingTexts })).code).toBe(0);
  expect((await home.load(timed.slice(10), { env: readingTexts })).code).toBe(0);
});
afterAll(() => home[Symbol.dispose]());

test("a refused kill or change of status leaves a job running", async () => {
  const columns = "status, finished_at, killed_by_user_id, killed_by_email";
  const running = [
    { status: "running", finished_at: null, killed_by_user_id: null, killed_by_email: null },
  ];
  for (const [view, id] of [
    ["query_jobs", "job_id"],
    ["query_activity", "object_id"],
  ] as const)
    expect(await home.rows(`select ${columns} from ${view} where ${id} = '900'`)).toEqual(running);
});

test("a refused issue or run of a saved query is not a job, an action or a use of a table", async () => {
  expect(await home.rows("select distinct user_id from query_activity")).toEqual([
    { user_id: String(runner) },
  ]);
  const touched = "select distinct job_id, table_name, access from query_tables";
  expect(await home.rows(touched)).toEqual([
    { job_id: "900", table_name: "customers", access: "read" },
  ]);
  const columns = "select distinct job_id, column_name from query_columns";
  expect(await home.rows(columns)).toEqual([{ job_id: "900", column_name: "email" }]);
  expect(await home.count("select count(*) from query_text_rows")).toBe(1);
});

const range = ["--since", "2026-03-01", "--until", "2026-03-02"];
const ask = async (report: string, ...params: string[]): Promise<Record<string, unknown>[]> => {
  const argv = ["report", "run", report, ...range, ...params, "--format", "json"];
  const { code, out, err } = await home.run(argv);
  expect(code, err).toBe(0);
  return JSON.parse(out) as Record<string, unknown>[];
};

test.each<readonly [report: string, users: readonly number[], params: readonly string[]]>([
  ["killed_and_failed_jobs", [], []],
  ["destructive_statements", [], []],
  ["queries_by_user", [runner], []],
  ["table_readers", [runner], ["--param", "table=crm.customers"]],
  ["sensitive_column_reads", [runner], []],
  ["first_database_use", [runner], []],
  ["first_table_use", [runner], []],
  ["queries_with_text", [], ["--param", "text=drop table"]],
  ["off_hours_activity", [runner], []],
])("%s names %j", async (report, users, params) => {
  const rows = await ask(report, ...params);
  expect(rows.map((row) => Number(row["user_id"]))).toEqual(users);
});

test("a refused query is not a use of a right", async () => {
  expect(await ask("unused_rights")).toMatchObject([{ operation: "query", database_id: "50" }]);
});

test("events show who was refused what, with its text", async () => {
  const denied = `outcome <> 'succeeded' and query_text is not null`;
  const found = await home.count(`select count(*) from events where ${denied}`);
  expect(found).toBe(3 * refusals.length);
});

test("investigate shows a job that was only ever refused as a denial", async () => {
  const later = { now: () => Date.UTC(2026, 5, 1) };
  const argv = ["investigate", "--job", "911", "--format", "json"];
  const { code, out, err } = await home.run(argv, later);
  expect(code, err).toBe(0);
  expect(JSON.parse(out)).toMatchObject([
    { entry: "denial", event_name: "job_issue", query_text: dropping.query_text, user_id: prober },
  ]);
});
