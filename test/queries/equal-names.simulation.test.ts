import { afterAll, beforeAll, expect, it, test } from "vitest";
import { readingTexts } from "../support/command.ts";
import { homeWithWarehouse, type TestHome } from "../support/home.ts";
import type { Row } from "../support/rows.ts";

// Things are distinguished by their ids, and refused actions from performed ones.
const noonS = Date.UTC(2026, 2, 2, 12) / 1000;
const ann = { user_id: 1, user_email: "ann@example.com" };
const run = (syndication: number, more: object): object => ({
  event_name: "syndication_run",
  requested_http_verb: "POST",
  requested_path_info: `/entities/segments/4/syndications/${syndication}/run`,
  ...more,
});
const exportTo = (path: string, more: object = {}): object => ({
  event_name: "job_result_export_failed",
  requested_http_verb: "POST",
  requested_path_info: path,
  target_connection: "Bucket",
  ...more,
});
// The second resource is the job whose result goes out, as the path says, or the place that it goes to.
const documentedForm = {
  event_name: "job_result_export",
  resource_id: "9700",
  resource_name: "crm.9700",
  target_resource_id: "700",
  target_resource_name: "crm.700",
};
const otherForm = {
  event_name: "job_result_export",
  resource_id: "700",
  resource_name: "crm.700",
  target_resource_id: "t1",
  target_resource_name: "Bucket",
};
const job = (id: string, query_text: string, name = `crm.${id}`): object => ({
  event_name: "job_issue",
  resource_id: id,
  resource_name: name,
  query_text,
});

const records = [
  run(5, { resource_id: "5", resource_name: "Daily" }),
  run(7, { resource_id: "7", resource_name: "Daily" }),
  run(5, { resource_id: "5", resource_name: "Daily" }),
  run(5, { resource_id: "5", resource_name: "Daily", event_result: " Denied " }),
  { event_name: "syndication_execution_download", resource_id: "8", event_result: "denied" },
  { event_name: "audit_log_download", event_result: "denied" },
  { event_name: "sign_in", event_result: "denied" },
  // A table with an id, and beside it another one with a name.
  {
    event_name: "table_swap",
    event_result: "denied",
    resource_id: "t5",
    target_resource_id: "t6",
    target_resource_name: "crm.other",
  },
  job("500", "create or replace table kept as select a from crm.x"),
  exportTo("/v3/job/result_export/500"),
  exportTo("v3/job/result_export/500.json?x=1"),
  exportTo("/v3/job/result_export/5001"),
  exportTo("/v3/job/result_export/404"),
  job("700", "select a from crm.leads"),
  exportTo("/v3/job/result_export/700", documentedForm),
  exportTo("/v3/job/result_export/700", { ...otherForm, target_connection: null }),
  exportTo("/v3/job/result_export/700", { target_resource_id: "700" }),
  { ...documentedForm, target_connection: "Lake" },
  job("600", "insert into leads select a from crm.x"),
  job("601", "select a from leads", "601"),
  job("602", "insert into alone select a from crm.x", "602"),
  job("603", "insert into quiet select a from crm.x"),
  job("604", "select a from alone", "CRM.604"),
  { event_name: "account_modify" },
].map((record, i) => ({ id: `e${i}`, time: noonS + i * 60, ...ann, ...record }));

let home: TestHome;
beforeAll(async () => {
  home = await homeWithWarehouse();
  const argv = ["import", home.write("records.json", JSON.stringify(records))];
  expect(await home.run(argv, { env: readingTexts })).toMatchObject({ code: 0 });
});
afterAll(() => home[Symbol.dispose]());

async function ask(report: string, ...params: string[]): Promise<Row[]> {
  const argv = ["report", "run", report, "--during", "2026-03-02", ...params, "--format", "json"];
  const { code, out, err } = await home.run(argv);
  expect(code, err).toBe(0);
  return JSON.parse(out) as Row[];
}

const show = (rows: readonly Row[], ...names: string[]): unknown[] =>
  rows.map((row) => names.map((name) => row[name]));

it("runs and downloads are counted without refused ones, each object separately", async () => {
  const runs = await ask("activations_run");
  expect(show(runs, "activation", "activation_id", "runs", "refused")).toEqual([
    ["Daily", "5", 2, 1],
    ["Daily", "7", 1, 0],
  ]);
  expect(await ask("activation_downloads")).toMatchObject([
    { resource: "8", resource_id: "8", downloads: 0, refused: 1 },
  ]);
  expect(await ask("audit_log_downloads")).toMatchObject([{ downloads: 0, refused: 1 }]);
  expect(await ask("active_users")).toMatchObject([{ sign_ins: 0 }]);
});

it("the kind of a denial is recognized in any spelling of its result", async () => {
  const rows = await ask("denials_list");
  const runs = rows.filter((row) => row["event_name"] === "syndication_run");
  expect(show(runs, "denial_kind")).toEqual([["folder_permission_denial"]]);
});

it("a denied resource is named by its own name or id, not by that of another one", async () => {
  const rows = await ask("denials_by_resource");
  expect(show(rows, "resource", "resource_id")).toContainEqual(["t5", "t5"]);
  expect(show(rows, "resource", "resource_id")).toContainEqual(["700", "700"]);
});

test("an export of a result belongs to the job that its path names, in either form of its columns", async () => {
  const names = async (id: string): Promise<unknown[]> =>
    (await ask("job_timeline", "--param", `job=${id}`)).map((row) => row["event_name"]);
  const [made, failed] = ["job_result_export", "job_result_export_failed"];
  expect(await names("500")).toEqual(["job_issue", failed, failed]);
  expect(await names("crm.500")).toEqual(["job_issue", failed, failed]);
  expect(await names("404")).toEqual([failed]);
  expect(await names("700")).toEqual(["job_issue", made, made, failed, made]);
  // The job of the export itself has the exports that name it, and not the job whose result went out.
  expect(await names("9700")).toEqual([made, made]);
  const rows = await ask("result_exports");
  expect(show(rows, "connection", "exports", "failed", "jobs")).toEqual([
    ["Bucket", 1, 5, 4],
    ["Lake", 1, 0, 1],
    ["not recorded", 1, 0, 1],
  ]);
  for (const [id, count] of [
    ["404", 1],
    ["700", 5],
    ["9700", 2],
  ] as const) {
    const { code, out } = await home.run(["investigate", "--job", id, "--format", "json"]);
    expect({ id, code, rows: (JSON.parse(out) as Row[]).length }).toEqual({
      id,
      code: 0,
      rows: count,
    });
  }
});

test("a table that replaces another one overwrites it", async () => {
  expect(await ask("destructive_statements")).toMatchObject([
    { statement_kind: "replace_table", database_name: "crm", table_name: "kept" },
  ]);
});

it("a table is not reported as unread if it may be the one of a name that was read", async () => {
  expect(show(await ask("unread_tables"), "database_name", "table_name")).toEqual([
    ["crm", "quiet"],
    ["crm", "kept"],
  ]);
});

test("a database has one name in any case", async () => {
  const rows = await ask("queries_by_database");
  expect(show(rows, "database_name", "jobs")).toEqual([
    ["crm", 5],
    ["unknown", 2],
  ]);
});

it("an operation that the log does not show is not reported as unlisted", async () => {
  expect(await ask("undocumented_operations")).toEqual([]);
});
