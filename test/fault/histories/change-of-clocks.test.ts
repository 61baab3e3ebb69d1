import { expect, test } from "vitest";
import { newRandom, type Random } from "../../../fixtures/random.ts";
import { findLastRun, listNextRuns, parseRule } from "../../../pipeline/outgoing/schedule/rule.ts";
import { fewOrAll } from "../length.ts";

// Compared with the real minutes, one by one, in every zone whose clocks were changed.

const minuteMs = 60_000;
const dayMs = 86_400_000;
const [firstMs, lastMs] = [Date.UTC(2024, 0, 1), Date.UTC(2031, 0, 1)];
const zones = Intl.supportedValuesOf("timeZone");

function buildClock(zone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat("sv-SE", {
    timeZone: zone,
    dateStyle: "short",
    timeStyle: "medium",
  });
  return (ms) => Date.parse(`${format.format(ms).replace(" ", "T")}Z`);
}

/** Moments at which the clocks of a zone are changed, to the minute. */
function listChanges(zone: string): number[] {
  const clock = buildClock(zone);
  const ahead = (ms: number): number => clock(ms) - ms;
  const changes: number[] = [];
  for (let day = firstMs; day < lastMs; day += dayMs) {
    if (ahead(day) === ahead(day + dayMs)) continue;
    let [low, high] = [day, day + dayMs];
    while (high - low > minuteMs) {
      const middle = low + Math.floor((high - low) / 2 / minuteMs) * minuteMs;
      if (ahead(middle) === ahead(day)) low = middle;
      else high = middle;
    }
    changes.push(high);
  }
  return changes;
}

type Fields = { readonly minutes: number[] | null; readonly hours: number[] | null };

function formatText({ minutes, hours }: Fields): string {
  return `${minutes?.join(",") ?? "*"} ${hours?.join(",") ?? "*"} * * *`;
}

function fits({ minutes, hours }: Fields, wallMs: number): boolean {
  const wall = new Date(wallMs);
  const [minute, hour] = [wall.getUTCMinutes(), wall.getUTCHours()];
  return (minutes?.includes(minute) ?? true) && (hours?.includes(hour) ?? true);
}

/** The runs after one moment and up to another, by walking through all minutes. */
function walk(fields: Fields, zone: string, fromMs: number, toMs: number): number[] {
  const clock = buildClock(zone);
  const runs = new Set<number>();
  const seen = new Set<number>();
  const startMs = fromMs - 2 * dayMs;
  for (let ms = startMs, before = clock(startMs) - minuteMs; ms <= toMs; ms += minuteMs) {
    const wall = clock(ms);
    const isFixed = fields.hours !== null;
    // What the clocks jump over belongs to the minute after it.
    for (let left = before + minuteMs; isFixed && left < wall; left += minuteMs)
      if (fits(fields, left)) runs.add(ms);
    if (fits(fields, wall) && !(isFixed && seen.has(wall))) runs.add(ms);
    seen.add(wall);
    before = wall;
  }
  return [...runs].filter((ms) => ms > fromMs).toSorted((a, b) => a - b);
}

function fieldsNear(wallMs: number, random: Random): Fields {
  const hour = new Date(wallMs).getUTCHours();
  const near = [0, 1, 2, 12, 23].map((more) => (hour + more + 22) % 24);
  const hours = random.chance(0.2) ? null : [...new Set([random.pick(near), random.pick(near)])];
  const minutes = random.chance(0.15)
    ? null
    : [...new Set([random.pick([0, 15, 30, 59]), random.pick([0, 30, 45])])];
  return { minutes, hours };
}

function check(zone: string, change: number, fields: Fields, seed: string): void {
  const rule = parseRule(formatText(fields));
  const fromMs = change - dayMs - 7 * minuteMs;
  const toMs = change + dayMs + 11 * minuteMs;
  const wanted = walk(fields, zone, fromMs, toMs);
  const found = listNextRuns(rule, zone, fromMs, wanted.length + 1).filter((ms) => ms <= toMs);
  const where = `${seed}: ${rule.text} in ${zone} around ${new Date(change).toISOString()}`;
  expect({ where, runs: texts(found) }).toEqual({ where, runs: texts(wanted) });
  for (const atMs of [change - minuteMs, change, change + 90 * minuteMs]) {
    const last = wanted.findLast((ms) => ms <= atMs);
    if (last !== undefined)
      expect({ where, last: findLastRun(rule, zone, atMs) }).toEqual({ where, last });
  }
  const [first] = wanted;
  if (first !== undefined)
    expect({ where, next: listNextRuns(rule, zone, fromMs, 1) }).toEqual({ where, next: [first] });
}

function texts(moments: readonly number[]): string[] {
  return moments.map((ms) => new Date(ms).toISOString());
}

test(
  "schedules follow every zone that changed its clocks from 2024 to 2030",
  { timeout: 300_000 },
  () => {
    const seed = Number(process.env["CLOCKS_SEED"] ?? 1);
    const byChanges = new Map<string, { zone: string; changes: number[] }>();
    for (const zone of zones) {
      const changes = listChanges(zone);
      const clock = buildClock(zone);
      // Zones whose clocks show the same all the time are one.
      const key = changes
        .map((ms) => `${ms} ${clock(ms) - ms} ${clock(ms - minuteMs) - ms}`)
        .join();
      if (changes.length > 0) byChanges.set(key, { zone, changes });
    }
    expect(byChanges.size).toBeGreaterThan(20);
    for (const { zone, changes } of byChanges.values()) {
      const random = newRandom(seed, zone);
      const clock = buildClock(zone);
      for (let n = 0; n < fewOrAll(1, 4); n++) {
        const change = random.pick(changes);
        check(zone, change, fieldsNear(clock(change), random), `seed ${seed}`);
      }
    }
  },
);

test.each([
  [
    "30 2,14 * * *",
    "Europe/Oslo",
    "2027-03-27T12:00:00Z",
    ["2027-03-27T13:30", "2027-03-28T01:00"],
  ],
  ["0,30 2 * * *", "Europe/Oslo", "2027-03-27T12:00:00Z", ["2027-03-28T01:00", "2027-03-29T00:00"]],
  // At midnight clocks go on to one.
  ["0 0,12 * * *", "Asia/Beirut", "2027-03-27T12:00:00Z", ["2027-03-27T22:00", "2027-03-28T09:00"]],
  ["30 2 * * *", "Europe/Oslo", "2027-10-30T12:00:00Z", ["2027-10-31T00:30", "2027-11-01T01:30"]],
  ["30 * * * *", "Europe/Oslo", "2027-10-31T00:00:00Z", ["2027-10-31T00:30", "2027-10-31T01:30"]],
])("%s in %s", (text, zone, after, expected) => {
  const runs = listNextRuns(parseRule(text), zone, Date.parse(after), 2);
  expect(texts(runs).map((run) => run.slice(0, 16))).toEqual(expected);
});

// Seed 002, Scheduled result export, rule 4, says nothing of a tie: the day of month is followed.
test("two day fields that run equally often follow the day of month", () => {
  const rule = parseRule("0 0 1-31 jan,mar 0-6");
  expect(rule.note).toMatch(/day of month applies, because it runs at least as often/);
  expect(rule.pattern).toMatch(/^0 0 1,2,.*,31 1,3 \*$/);
});
