import { afterAll, beforeAll, expect, it } from "vitest";
import { newRandom } from "../../../../fixtures/random.ts";
import { newHome, type TestHome } from "../../../support/home.ts";
import { type Served, serving } from "../../../support/serve.ts";

// The search is compared with a filter over the records themselves; each filter by itself is in answers/events/.
const seed = Number(process.env["SERVE_SEED"] ?? 1);
const random = newRandom(seed, "events to search");
const start = Date.UTC(2026, 0, 5) / 1000;

type Known = {
  readonly id: string;
  readonly time: number;
  readonly event_name: string;
  readonly user_email: string;
  readonly ip_address: string;
  readonly resource_name: string;
};

const records = Array.from({ length: 250 }, (_, i): Known => ({
  id: `e${i}`,
  // Many share a second.
  time: start + random.int(0, 150) * 60,
  event_name: random.pick(["job_kill", "table_create", "user_modify"]),
  user_email: random.pick(["Ann@example.com", "bob@example.com"]),
  ip_address: random.pick(["203.0.113.1", "203.0.113.2", "internal"]),
  resource_name: random.pick(["sales.orders", "hr.people", '<b>"x"</b>']),
}));

// Of another day, with microseconds: two pages of them within each millisecond.
const finerRecords = Array.from({ length: 250 }, (_, i) => ({
  id: `finer-${i}`,
  time: `2026-01-08T12:00:00.${123_000 + Math.floor(i / 2) * 10}Z`,
  event_name: "job_kill",
}));

let home: TestHome;
let served: Served;
beforeAll(async () => {
  home = newHome();
  await home.load([...records, ...finerRecords]);
  served = await serving(home);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

const range = "since=2026-01-05&until=2026-01-06";

// The keys of the events of all pages, in their order.
async function readKeys(
  query: string,
  between: () => Promise<void> = async () => {},
  within = range,
): Promise<string[]> {
  const keys: string[] = [];
  let path = `/events?${within}&fold=no&${query}`;
  for (;;) {
    const page = await served.text(path);
    keys.push(...[...page.matchAll(/href="\/events\/([0-9a-f]{32})"/g)].map(([, key]) => key!));
    const [, next] = /href="(\/events\?[^"]*below_time[^"]*)"[^>]*>Older/.exec(page) ?? [];
    if (next === undefined) return keys;
    path = next.replaceAll("&amp;", "&");
    await between();
  }
}

async function readIds(keys: readonly string[]): Promise<string[]> {
  const rows = await home.rows("select event_key, id from events");
  const ids = new Map(rows.map((row) => [row["event_key"], String(row["id"])]));
  return keys.map((key) => ids.get(key)!);
}

it.each([
  ["", () => true],
  [`object=${encodeURIComponent('<b>"x"</b>')}`, (r: Known) => r.resource_name.startsWith("<b>")],
  ["outcome=denied", () => false],
  [
    "person=%20bob@example.com&event=job_kill%20",
    (r: Known) => r.user_email === "bob@example.com" && r.event_name === "job_kill",
  ],
  ["address=%20internal%20", (r: Known) => r.ip_address === "internal"],
  [
    "person=BOB@example.com&address=203.0.113.2&text=SALES",
    (r: Known) =>
      r.user_email === "bob@example.com" &&
      r.ip_address === "203.0.113.2" &&
      r.resource_name === "sales.orders",
  ],
] as const)("finds matching events: %s", async (query, fits) => {
  const expected = records.filter((record) => fits(record));
  const ids = await readIds(await readKeys(query));
  expect(ids.toSorted()).toEqual(expected.map(({ id }) => id).toSorted());
  const timeOf = new Map(records.map(({ id, time }) => [id, time]));
  const times = ids.map((id) => timeOf.get(id)!);
  expect(times).toEqual(times.toSorted((a, b) => b - a));
});

it("pages through times more precise than a millisecond", async () => {
  const keys = await readKeys("", undefined, "since=2026-01-08&until=2026-01-09");
  const ids = await readIds(keys);
  expect(ids.toSorted()).toEqual(finerRecords.map(({ id }) => id).toSorted());
});

it("keeps its place while newer events come in and a new file is published", async () => {
  let more = 0;
  const before = await readKeys("");
  const paged = await readKeys("", async () => {
    await home.load([{ id: `late${(more += 1)}`, time: start + 86_000, event_name: "job_kill" }]);
  });
  expect(more).toBeGreaterThan(1);
  expect(paged).toEqual(before);
  expect(await readKeys("")).toHaveLength(before.length + more);
});

it("shows one event with all its values, and an error for an unknown key", async () => {
  const [key] = await readKeys(`object=${encodeURIComponent('<b>"x"</b>')}`);
  const page = await served.text(`/events/${key}`);
  expect(page).toContain("&lt;b&gt;&quot;x&quot;&lt;/b&gt;");
  expect(page).not.toContain('<b>"x"');
  expect((await served.get(`/events/${"0".repeat(32)}`)).status).toBe(404);
  expect((await served.get("/events/..%2f..%2fetc")).status).toBe(400);
});

it.each([
  "since=soon",
  "until=2026-02-30",
  "since=2026-02-01&until=2026-01-01",
  "outcome=nearly",
  "not_kind=nearly",
  "from=soon",
  "since=2026-01-05&from=2026-01-07&to=2026-01-06",
  "below_time=soon",
  "object=a&object=b",
])("a search that is refused for %s retains the form with its input", async (query) => {
  const response = await served.get(`/events?${query}&person=ann%40example.com&text=%3Ci%3E`);
  const page = await response.text();
  expect(response.status).toBe(400);
  expect(page).toMatch(/role="alert"/);
  for (const text of ["ann@example.com", "&lt;i&gt;"]) expect(page).toContain(`value="${text}"`);
});
