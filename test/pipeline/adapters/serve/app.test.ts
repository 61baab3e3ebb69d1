import { afterAll, beforeAll, expect, it } from "vitest";
import { newHome, type TestHome } from "../../../support/home.ts";
import { type Served, serving } from "../../../support/serve.ts";

let home: TestHome;
let served: Served;
beforeAll(async () => {
  home = newHome();
  await home.load([{ time: 1_767_225_600, event_name: "job_kill", id: "a" }]);
  served = await serving(home);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

it.each([
  ["/nosuch", 404, "This page does not exist."],
  ["/reports/denials_lst", 404, 'Did you mean <a href="/reports/denials_list">'],
  ["/reports/zzzzzzzzzzzzzzzz/rows.csv", 404, "No report has that name. "],
  ["/access", 200, "<title>Access"],
  ["/reference", 200, "Event reference"],
  ["/sql/of/denials_list", 200, "select"],
])("answers %s with %i", async (path, status, expected) => {
  const answer = await served.get(path);
  expect([answer.status, await answer.text()]).toEqual([status, expect.stringContaining(expected)]);
});

it.each(["since=banana", "since=7d&until=banana", "since=2026-01-02&until=2026-01-01"])(
  "shows the faulty range %s without storing it",
  async (query) => {
    const answer = await served.get(`/events?${query}`);
    expect([answer.status, answer.headers.get("set-cookie")]).toEqual([400, null]);
    const valid = await served.get("/events?since=2026-01-01&until=2026-01-02");
    expect(valid.headers.get("set-cookie")).toContain("since=2026-01-01");
  },
);

it.each([
  ["/people?since=banana", 400, 'name="since" value="banana"'],
  ["/people/no.such.person@example.com", 404, 'href="/people"'],
  [`/events/${"0".repeat(32)}`, 404, 'href="/events"'],
  ["/jobs/no-such-job", 200, "<b>No events of no-such-job</b>"],
])("shows a next step on %s", async (path, status, expected) => {
  const answer = await served.get(path);
  const text = await answer.text();
  expect([answer.status, text]).toEqual([status, expect.stringContaining(expected)]);
  expect(text).not.toContain("<h2>Timeline</h2>");
  expect(text).not.toContain("unexpected reason");
  expect(text).toMatch(/<\/html>\s*$/);
});

it("answers a missing favicon without a page", async () => {
  const answer = await served.get("/favicon.ico");
  expect([answer.status, await answer.text()]).toEqual([204, ""]);
});

it("answers a HEAD request without content, and runs no query for it", async () => {
  const { origin } = new URL(served.address);
  const entered = await fetch(served.address, { redirect: "manual" });
  const headers = { cookie: entered.headers.get("set-cookie")!.split(";")[0]! };
  const head = await fetch(origin, { method: "HEAD", headers });
  expect([head.status, await head.text()]).toEqual([200, ""]);
  expect(head.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(await served.text("/")).toMatch(/<\/html>\s*$/);
});

it.each([
  ["of a million bytes", 1_000_000, "this form has expired and nothing was stored"],
  ["of one more", 1_000_001, "the form is too large; the limit is 1 MB"],
])("accepts a form %s according to its size", async (_, bytes, expected) => {
  const sql = " ".repeat(bytes - "sql=".length);
  const answer = await served.get("/sql/save", { sql });
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(expected)]);
});
