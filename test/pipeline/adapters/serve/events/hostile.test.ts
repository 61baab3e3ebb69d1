import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostileValues } from "../../../../support/hostile-values.ts";
import { newHome, type TestHome } from "../../../../support/home.ts";
import { type Served, serving } from "../../../../support/serve.ts";

// Records with hostile texts in every field, in the search and on the page of each event.
const start = Date.UTC(2026, 0, 5) / 1000;
const fields = [
  "event_name",
  "user_email",
  "ip_address",
  "event_result",
  "resource_name",
  "resource_id",
  "resource_type",
  "resource_path",
  "requested_path_info",
  "requested_http_verb",
  "old_value",
  "new_value",
  "old_values",
  "attribute_name",
  "target_table",
  "query_text",
  "affected_user",
  "event_detail",
  "own_field",
];
const records = hostileValues.map((value, i) => ({
  id: `e${i}`,
  time: start + i * 60,
  ...Object.fromEntries(fields.map((name) => [name, value])),
}));
const range = "since=2026-01-05&until=2026-01-06";

let home: TestHome;
let served: Served;
let keys: string[];
beforeAll(async () => {
  home = newHome();
  expect((await home.load(records)).code).toBe(0);
  keys = (await home.rows("select event_key from events order by event_time")).map((row) =>
    String(row["event_key"]),
  );
  served = await serving(home);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

// Inside the body: scripts and styles of the page itself are around it.
function readMain(page: string): string {
  return page.slice(page.indexOf("<main"), page.indexOf("</main>"));
}

function expectHarmless(page: string): void {
  const main = readMain(page);
  const tags = main.replaceAll(/"[^"]*"/g, '""').match(/<[^>]*>/g)!;
  expect(tags.filter((tag) => /^<(?:script|img)|\s(?:on\w+|style)=/.test(tag))).toEqual([]);
  expect(main).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b\u2028\u0085\u001b]/u);
  const links = [...main.matchAll(/(?:href|action)="([^"]*)"/g)].map(([, to]) => to!);
  expect(links.filter((to) => !/^(?:\/(?!\/)|#)/.test(to))).toEqual([]);
  expect(Math.max(...links.map(({ length }) => length))).toBeLessThan(16_000);
  expect(page.trimEnd().endsWith("</html>")).toBe(true);
}

it("lists records with any text, in a page of bounded size", async () => {
  const page = await served.text(`/events?${range}`);
  expectHarmless(page);
  expect(page.match(/href="\/events\/[0-9a-f]{32}"/g)).toHaveLength(records.length);
  expect(page.length).toBeLessThan(1_000_000);
});

it.each(hostileValues.map((value, i) => [i, value.slice(0, 30)] as const))(
  "shows the event of record %i: %j",
  async (i) => {
    const page = await served.text(`/events/${keys[i]}`);
    expectHarmless(page);
    expect(page).toContain("What happened");
    expect(page.length).toBeLessThan(2_000_000);
  },
);

describe.each(["event", "person", "address"].entries().toArray())("facet %i, %s", (at, column) => {
  it("links to the events of its values, and back", async () => {
    const main = readMain(await served.text(`/events?${range}`));
    const links = [...main.matchAll(/class="t"\s+href="([^"]*)"/g)]
      .map(([, to]) => to!.replaceAll("&amp;", "&"))
      .filter((to) => new URLSearchParams(to.split("?")[1]).has(column));
    expect(links.length).toBeGreaterThan(3);
    // All facets write their links alike: each takes a third of the values.
    for (const link of links.filter((_, i) => i % 3 === at)) {
      const page = readMain(await served.text(link));
      expect(page.match(/href="\/events\/[0-9a-f]{32}"/g), link).not.toBeNull();
      expect(page.includes('aria-label="Remove filter'), link).toBe(true);
    }
  });
});

it.each([
  [
    "a column that the page does not have",
    "persn=a",
    200,
    /no parameter &quot;persn&quot;; did you mean person\?/,
  ],
  ["a text of 10,000 characters", `text=${"y".repeat(10_000)}`, 200, /No matching events/],
  [
    "quotes in every field",
    `person='&event="&address=%27--&area=%3B&database=%27`,
    200,
    /No match/,
  ],
  ["a null character", "person=%00&text=%00", 200, /No matching events/],
  ["values that are no UTF-8", "person=%ff%fe&event=%c3%28", 200, /No matching events/],
  [
    "two hundred values",
    Array.from({ length: 200 }, (_, i) => `person=p${i}`).join("&"),
    200,
    /No m/,
  ],
  ["an outcome that is none", "outcome=maybe", 400, /outcome &quot;maybe&quot;: expected/],
  ["an excluded kind that is none", "not_kind=maybe", 400, /kind &quot;maybe&quot;: expected/],
  ["a time that is none", "from=31 February", 400, /is not a time/],
  ["a key of a place that is none", "below_time=2026-01-05&below_key=%27", 200, /No matching/],
])("answers a search with %s", async (_what, query, status, text) => {
  const response = await served.get(`/events?${range}&${query}`);
  const page = await response.text();
  expect([response.status, page]).toEqual([status, expect.stringMatching(text)]);
  expectHarmless(page);
});

it("writes the rows of a search as CSV, and as a statement for the SQL page", async () => {
  const query = `${range}&outcome=unknown&not_event=%27--&text=it%27s`;
  const csv = await served.text(`/events/rows.csv?${query}`);
  expect(csv.split("\n")[0]).toMatch(/event_time,outcome,event/);
  const page = await served.text(`/events/sql?${query}`);
  expect(page).toContain("&#39;it&#39;&#39;s&#39;");
  expect((await served.get("/events/rows.csv?since=soon")).status).toBe(400);
});
