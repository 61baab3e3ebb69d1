import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newRandom, type Random } from "../../fixtures/random.ts";
import { readAsset } from "../../pipeline/base/home/assets.ts";
import { formatLines, homeWithWarehouse } from "../support/home.ts";
import { fewOrAll } from "../fault/length.ts";
import { reports } from "./run.ts";

// Reports whose header has the scope `range`: events outside the range change none of their rows. The events outside
// are those of the log, moved and with other content: other people, names, sets and results under the same ids.

const names = reports.filter(({ scope }) => scope === "range").map(({ name }) => name);

type Event = Readonly<Record<string, unknown>> & { readonly time: number };

const log = readAsset("fixtures/golden/records.ndjson")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Event);
const [firstTime, lastTime] = [Math.min(...log.map(getTime)), Math.max(...log.map(getTime))];

function getTime({ time }: Event): number {
  return time;
}

type Range = { readonly since: number; readonly until: number };

function chooseRange(random: Random): Range {
  const length = random.int(30 * 3600, 60 * 3600);
  const since = random.int(firstTime, lastTime - length);
  return { since, until: since + length };
}

function isWithin({ time }: Event, { since, until }: Range): boolean {
  return time >= since && time < until;
}

// Before and behind the range, up to its very edges.
function moveOutside(event: Event, { since, until }: Range, random: Random): Event {
  const distance = random.pick([1, 60, 3600, 86_400, 40 * 86_400]);
  const time = random.chance(0.6)
    ? since - random.int(1, distance)
    : until + random.int(0, distance);
  return { ...event, time };
}

function changeFields(event: Event, random: Random): Event {
  const other = random.pick(log);
  const fields = Object.keys(event).filter((field) => field !== "time" && random.chance(0.25));
  const { id: _, ...rest } = event;
  const swapped = Object.fromEntries(fields.map((field) => [field, other[field] ?? null]));
  return {
    ...rest,
    ...swapped,
    ...(random.chance(0.2) ? { id: event["id"] } : {}),
    time: event.time,
  };
}

async function runReports(
  events: readonly Event[],
  { since, until }: Range,
): Promise<Map<string, string>> {
  using home = await homeWithWarehouse();
  const file = home.write("events.ndjson", formatLines(events));
  const users = home.write("users.json", readAsset("fixtures/golden/users.json"));
  expect((await home.run(["import", file, "--users", users])).code).toBeLessThan(7);
  const out = join(home.folder, "out");
  const [from, to] = [since, until].map((time) => new Date(time * 1000).toISOString());
  const running = ["report", "run", ...names, "--since", from!, "--until", to!, "--out", out];
  expect((await home.run(running)).code).toBe(0);
  return new Map(names.map((name) => [name, readFileSync(join(out, `${name}.csv`), "utf8")]));
}

const seeds = fewOrAll([1, 2], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
const withRows = new Set<string>();

test.each(seeds)("seed %i: events outside the range change no row", async (seed) => {
  const random = newRandom(seed, "scope");
  const range = chooseRange(random);
  const inside = log.filter((event) => isWithin(event, range));
  const outside = log
    .flatMap((event) => [event, changeFields(event, random)])
    .map((event) => moveOutside(event, range, random));
  const [alone, among] = [
    await runReports(inside, range),
    await runReports([...inside, ...outside], range),
  ];
  for (const name of names) {
    expect(among.get(name), name).toBe(alone.get(name));
    if (alone.get(name)!.trim().includes("\n")) withRows.add(name);
  }
});

test("each report had rows in some scope", () => {
  expect(names.filter((name) => !withRows.has(name))).toEqual([]);
});

test("lists and daily counts of denials, downloads and permission edits have the scope", () => {
  const wanted = ["denials_list", "denials_by_day", "result_downloads", "downloads_by_day"];
  for (const name of [...wanted, "permission_edits_list", "permission_edits_by_day"])
    expect(names).toContain(name);
});
