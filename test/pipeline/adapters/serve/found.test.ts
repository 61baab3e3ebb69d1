import { afterAll, beforeAll, expect, it } from "vitest";
import { newHome, type TestHome } from "../../../support/home.ts";
import { readingTexts } from "../../../support/command.ts";
import { type Served, serving } from "../../../support/serve.ts";

// What a search finds events by: tables that their job read long before, any text of theirs, an outcome.
const day = (number: number): number => Date.UTC(2026, 2, number, 20) / 1000;

function listMessages(id: string, time: number, event_name: string, more: object = {}): object {
  return { id, time, event_name, ip_address: "192.0.2.1", ...more };
}
const job = { resource_id: "850", resource_name: "crm.850" };
const texts = {
  old_value: "needle_ov",
  new_value: "needle_nv",
  old_values: '{"name":"needle_ovs"}',
  new_values: '{"name":"needle_nvs"}',
  resource_name: "needle_name",
  resource_path: "/needle_resource_path",
  target_table: "crm.needle_target",
  target_resource_name: "needle_other",
  target_connection: "needle_connection",
  affected_user: "needle_user@example.com",
  attribute_name: "needle_attribute",
  query_text: "select 'needle_query'",
  event_detail: "needle_detail",
  requested_path_info: "/v4/needle_path",
};

let home: TestHome;
let served: Served;
let idByKey: ReadonlyMap<unknown, unknown>;
beforeAll(async () => {
  home = newHome();
  const records = [
    listMessages("issue", day(1), "job_issue", {
      ...job,
      job_type: "presto",
      query_text: "select a from needle_table",
    }),
    listMessages("fetch", day(6), "job_result_download", job),
    listMessages("late", day(30), "job_result_download", job),
    ...Object.entries(texts).map(([name, value]) =>
      listMessages(name, day(2), "query_modify", { [name]: value }),
    ),
    listMessages("plain", day(2), "query_modify"),
    listMessages("denied", day(3), "job_result_download_denied", { event_result: "denied" }),
  ];
  expect((await home.load(records, { env: readingTexts })).code).toBe(0);
  const known = await home.rows("select event_key, id from events");
  idByKey = new Map(known.map((row) => [row["event_key"], row["id"]]));
  served = await serving(home);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

/** The ids of what a search finds, the newest first. */
async function find(query: string): Promise<unknown[]> {
  const page = await served.text(`/events?fold=no&${query}`);
  const keys = [...page.matchAll(/href="\/events\/([0-9a-f]{32})"/g)].map(([, key]) => key!);
  return keys.map((key) => idByKey.get(key));
}

it.each([
  ["2026-03-01", "2026-03-08", ["fetch", "issue"]],
  // The intervals of the search end elsewhere.
  ["2026-03-01", "2026-03-13", ["fetch", "issue"]],
  ["2026-03-04", "2026-04-01", ["late", "fetch"]],
  ["2026-01-01", "2026-12-01", ["late", "fetch", "issue"]],
  ["2026-03-29", "2026-04-01", ["late"]],
  ["2026-02-01", "2026-03-01", []],
])("finds by a table from %s until %s the statuses of its job", async (since, until, ids) => {
  expect(await find(`since=${since}&until=${until}&object=CRM.needle_table`)).toEqual(ids);
});

it("finds events by a table without its database, too", async () => {
  const ids = await find("since=2026-03-01&until=2026-03-08&object=needle_table");
  expect(ids).toEqual(["fetch", "issue"]);
});

it("shows the tables of a job beside a result that was fetched weeks later", async () => {
  const page = await served.text("/events?since=2026-03-29&until=2026-04-01");
  expect(page).toContain("crm.needle_table");
});

it.each(Object.entries(texts))("finds an event by a text in its %s", async (name, value) => {
  const text = /needle_[a-z]+/.exec(value)![0];
  const range = "since=2026-03-01&until=2026-04-01";
  // Of needle_ov there is needle_ovs, too.
  // Alternately in capitals: the case does not count.
  const ids = await find(`${range}&text=${name.length % 2 === 0 ? text.toUpperCase() : text}`);
  expect(ids).toContain(name);
  expect(ids).not.toContain("plain");
});

it.each(["denied", "DENIED", " Denied "])("takes the outcome %j in any case", async (outcome) => {
  const query = new URLSearchParams({ since: "2026-03-01", until: "2026-04-01", outcome });
  expect(await find(query.toString())).toEqual(["denied"]);
});

it("refuses an unknown outcome", async () => {
  const page = await served.text("/events?outcome=refused");
  expect(page).toContain("outcome &quot;refused&quot;: expected succeeded, denied, failed");
});
