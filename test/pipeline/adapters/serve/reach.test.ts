import { afterAll, beforeAll, expect, it } from "vitest";
import { newHome, type TestHome } from "../../../support/home.ts";
import { type Served, serving } from "../../../support/serve.ts";

let home: TestHome;
let served: Served;
beforeAll(async () => {
  home = newHome();
  await home.load([{ time: "2026-01-05T10:00:00Z", event_name: "job_kill", id: "a" }]);
  served = await serving(home);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

it.each([
  ["/events?since=2020-01-01&until=2020-02-01", "begins at 2026-01-05T10:00:00Z"],
  ["/events?since=2026-02-01", "ends at 2026-01-05T10:00:00Z"],
  ["/events?since=2026-02-01&person=jo", "ends at 2026-01-05T10:00:00Z"],
])("states on %s that the time without events was not read", async (path, what) => {
  const page = await served.text(path);
  expect(page).toContain(`<p class="quiet">note: the log of default ${what}</p>`);
  expect(page).toMatch(/No (?:matching events|rows)/);
});

it.each([
  ["since=2026-01-06&until=2026-01-05", "ends before it starts"],
  ["since=2026-01-05&until=2026-01-05", "is an empty range"],
])("refuses a search in the range %s, which contains no time", async (query, what) => {
  const answer = await served.get(`/events?${query}`);
  expect([answer.status, await answer.text()]).toEqual([
    400,
    expect.stringMatching(
      new RegExp(`role="alert">since [^<]* ${what}; since must be before until`),
    ),
  ]);
});
