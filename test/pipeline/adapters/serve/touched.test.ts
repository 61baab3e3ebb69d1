import { afterAll, beforeAll, expect, it } from "vitest";
import { newHome, type TestHome } from "../../../support/home.ts";
import { readingTexts } from "../../../support/command.ts";
import { type Served, serving } from "../../../support/serve.ts";

// The tables of queries are beside their jobs in the search and in the timeline, with links to them.
const start = Date.UTC(2026, 0, 5) / 1000;
const range = "since=2026-01-01&until=2026-02-01";

function job(id: number, text: string): Record<string, unknown>[] {
  const common = {
    user_email: "ann@example.com",
    resource_id: `${id}`,
    resource_name: `sales.${id}`,
  };
  const issued = { ...common, event_name: "job_issue", query_text: text, job_type: "batch" };
  const loaded = { ...common, event_name: "job_result_download" };
  return [
    { id: `i${id}`, time: start + id, ...issued },
    { id: `d${id}`, time: start + 1000 + id, ...loaded },
  ];
}

let home: TestHome;
let served: Served;
beforeAll(async () => {
  home = newHome();
  const records = [
    ...job(1, "select * from orders o join hr.people p on o.id = p.id"),
    ...job(2, "insert into hr.kept select id from orders"),
    ...job(3, "select 1"),
    { id: "other", time: start, event_name: "table_create", user_email: "ann@example.com" },
  ];
  expect((await home.load(records, { env: readingTexts })).code).toBe(0);
  served = await serving(home);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

/** The rows of the table of a page, by their columns. */
async function readRows(path: string): Promise<Record<string, string>[]> {
  const page = await served.text(path);
  const texts = (part: string, tag: string): string[] =>
    [...part.matchAll(new RegExp(`<${tag}[^>]*>(.*?)</${tag}>`, "gs"))].map(([, text]) =>
      text!.replaceAll(/<[^>]*>/g, "").trim(),
    );
  const names = texts(/<thead>.*?<\/thead>/s.exec(page)?.[0] ?? "", "th");
  const body = /<tbody>.*?<\/tbody>/s.exec(page)?.[0] ?? "";
  return body
    .split("</tr>")
    .slice(0, -1)
    .map((line) => Object.fromEntries(texts(line, "td").map((text, i) => [names[i]!, text])));
}

it("shows in the search which tables each job read and wrote", async () => {
  const rows = await readRows(`/events?${range}&fold=no`);
  const shown = rows.map((row) => [row["Event"], row["Tables read"], row["Tables written"]]);
  expect(shown).toEqual([
    ["job_result_download", "—", "—"],
    ["job_result_download", "sales.orders", "hr.kept"],
    ["job_result_download", "hr.people, sales.orders", "—"],
    ["job_issue", "—", "—"],
    ["job_issue", "sales.orders", "hr.kept"],
    ["job_issue", "hr.people, sales.orders", "—"],
    ["table_create", "—", "—"],
  ]);
  expect(await served.text(`/events?${range}&fold=no`)).toContain(
    "/reports/table_readers?since=2026-01-01T00%3A00%3A00Z&amp;until=2026-02-01T00%3A00%3A00Z&amp;table=sales.orders",
  );
});

it.each([
  ["sales.orders", ["1", "1", "2", "2"]],
  ["ORDERS", ["1", "1", "2", "2"]],
  ["hr.kept", ["2", "2"]],
  ["people", ["1", "1"]],
  ["nothing", []],
])("finds by the table %s the jobs that used it", async (table, ids) => {
  const rows = await readRows(`/events?${range}&fold=no&object=${table}`);
  expect(rows.map((row) => row["Object id"]).toSorted()).toEqual(ids);
});

it("shows used tables in the timeline", async () => {
  const rows = await readRows(`/reports/user_timeline?user=ann@example.com&${range}`);
  const issued = rows.filter((row) => row["Event"] === "job_issue");
  expect(issued.map((row) => [row["Tables read"], row["Tables written"]])).toEqual([
    ["hr.people, sales.orders", "—"],
    ["sales.orders", "hr.kept"],
    ["—", "—"],
  ]);
});
