import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { newHome, type TestHome } from "../../../support/home.ts";
import { readSaveToken, type Served, serving } from "../../../support/serve.ts";

let home: TestHome;
let served: Served;
let queries: string;
beforeAll(async () => {
  home = newHome();
  await home.load([{ time: 1_767_225_600, event_name: "job_kill", id: "a" }]);
  home.write("queries/none.sql", "-- title: None\n-- grain: one row\nselect 1 as n\n");
  const asking =
    "-- title: Asks\n-- grain: one row\n-- param: who text required\n-- param: more text = null\n";
  home.write("queries/asks.sql", `${asking}select $who as who, $more as more\n`);
  queries = join(home.folder, "queries");
  served = await serving(home, "--queries", queries);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

// What a browser reads from the source of a page.
function decode(source: string): string {
  const names: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"' };
  return source.replaceAll(/&(?:#(\d+)|(\w+));/g, (_, code: string, name: string) =>
    code === undefined ? names[name]! : String.fromCodePoint(Number(code)),
  );
}

it("a form returns a statement exactly as sent, with line breaks and invisible characters", async () => {
  const sql = "select '<\u202Eab\u200B&\"' as a,\n\t2 as b";
  const page = await served.text("/sql", { sql: sql.replaceAll("\n", "\r\n") });
  expect(page).not.toContain('role="alert"');
  expect(page).not.toMatch(/[\u202E\u200B]/);
  const [, area = ""] = /<textarea[^>]*>([^<]*)</.exec(page) ?? [];
  expect(decode(area)).toBe(sql);
  const hidden = [...page.matchAll(/type="hidden" name="sql" value="([^"]*)"/g)];
  expect(hidden.map(([, value]) => decode(value!))).toEqual([sql, sql]);
  const name = "\u202Eann";
  const search = await served.text(`/events?${new URLSearchParams({ person: name }).toString()}`);
  expect(decode(/name="person" value="([^"]*)"/.exec(search)![1]!)).toBe(name);
});

it.each([
  ["/events?persn=ann", /no parameter &quot;persn&quot;; did you mean person\?/],
  ["/events?user=&person=ann&since=1d&below_key=a", undefined],
  ["/reports/denials_list?sinse=7d", /&quot;sinse&quot;.*; did you mean since\?/],
  ["/reports/denials_list?since=7d&colour=red", /&quot;colour&quot;.*; expected .*since/],
  ["/reports/denials_list?since=7d&until=now", undefined],
])("an unknown field in %s is reported by name", async (address, expected) => {
  const page = await served.text(address);
  if (expected === undefined) expect(page).not.toContain("does not have; ");
  else expect(page).toMatch(expected);
});

it.each(["/events?", "/reports/denials_list?", "/reports/denials_list/rows.csv?"])(
  "%s with a repeated field is answered with neither value",
  async (page) => {
    const answer = await served.get(`${page}since=7d&since=30d`);
    expect([answer.status, await answer.text()]).toEqual([
      400,
      expect.stringContaining("the address has &quot;since&quot; more than once"),
    ]);
  },
);

it("a report runs only when its required fields are filled in", async () => {
  const [empty, filled] = [
    await served.text("/reports/asks"),
    await served.text("/reports/asks?who=ann"),
  ];
  const need = "Enter a who to run this report.";
  expect([empty.includes(need), empty.includes("rows.csv")]).toEqual([true, false]);
  expect([filled.includes(need), filled.includes("rows.csv")]).toEqual([false, true]);
  expect(filled).toMatch(/<td[^>]*>\s*ann\s*<\/td>/);
});

it("a download with a field that the report does not have is refused", async () => {
  const rows = "/reports/denials_list/rows.csv?since=7d";
  expect((await served.get(rows)).status).toBe(200);
  expect((await served.get(`${rows}&colour=red`)).status).toBe(400);
});

it("of several saves at once one succeeds, and an empty statement is not saved", async () => {
  const token = await readSaveToken(served);
  const draft = { token, name: "at_once", title: "T", grain: "one row" };
  const statements = [1, 2, 3, 4, 5].map((n) => `select ${n} as n`);
  const answers = await Promise.all(
    statements.map((sql) => served.get("/sql/save", { ...draft, sql })),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 400, 400, 400, 400]);
  const saved = statements[answers.findIndex(({ status }) => status === 303)]!;
  expect(readFileSync(join(queries, "at_once.sql"), "utf8")).toContain(saved);
  expect((await served.get("/sql/save", { ...draft, name: "empty", sql: " " })).status).toBe(400);
});

it.each([
  ["without a token", () => ""],
  ["with a token that was changed", (token: string) => `${token.slice(0, -1)}-`],
  ["with a token that has expired", (token: string) => token.replace(/^[^.]*/, "1")],
])("a report is not saved %s", async (_, change) => {
  const token = change(await readSaveToken(served));
  const draft = { name: "forged", title: "T", grain: "one row", sql: "select 1 as n" };
  const answer = await served.get("/sql/save", { ...draft, token });
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain("this form has expired and nothing was stored");
  expect(existsSync(join(queries, "forged.sql"))).toBe(false);
});

it("an address that no server accepts is not linked", async () => {
  const page = await served.text("/sql", { sql: "select repeat('x', 100000) as user_email" });
  expect(page).toContain("(100000 characters");
  expect(page).not.toMatch(/href="[^"]{9000}/);
});

it("only the end of a long log is read", async () => {
  const entry = { at: "", by: "", kind: "sql", what: "select 'long ago'" };
  const search = JSON.stringify({ ...entry, kind: "events", what: "x".repeat(1000) });
  const log = join(home.home, "serve", "asked.ndjson");
  writeFileSync(log, `${JSON.stringify(entry)}\n${`${search}\n`.repeat(1100)}`);
  await served.get("/sql", { sql: "select 'just now'" });
  const page = await served.text("/sql");
  expect(page).toContain("just now");
  expect(page).not.toContain("long ago");
});

it("a port in use is reported with what to do", async () => {
  const { port } = new URL(served.address);
  expect(await home.run(["serve", "--port", port])).toMatchObject({
    code: 1,
    err: expect.stringContaining("choose another with --port"),
  });
});

it("a report page has its range in the picker, and a field for an invalid end", async () => {
  const readFields = (page: string): (string | undefined)[] =>
    [...page.matchAll(/ id="field-([^"]+)"/g)].map(([, name]) => name);
  const page = await served.text("/reports/denials_list?since=9d&until=2d");
  expect(readFields(page)).toEqual(["seen_since"]);
  expect(page).toContain('name="since" value="9d"');
  const wrong = await served.text("/reports/denials_list?since=banana&until=2d");
  expect(readFields(wrong)).toEqual(expect.arrayContaining(["since", "until"]));
});
