import { afterAll, beforeAll, expect, test } from "vitest";
import { newRandom } from "../../../../fixtures/random.ts";
import {
  collectEvents,
  readActors,
  readAddresses,
  readDatabases,
  readNames,
  readSlots,
} from "../../../../pipeline/answers/investigate/activity.ts";
import { bindKeys, findPersonKeys } from "../../../../pipeline/answers/investigate/person.ts";
import { type PersonRow, readPeople } from "../../../../pipeline/answers/investigate/people.ts";
import { readUsual } from "../../../../pipeline/answers/investigate/usual.ts";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import { type Database, openPublished } from "../../../../pipeline/core/store/open.ts";
import { formatLines, homeWithWarehouse, type TestHome } from "../../../support/home.ts";
import {
  countBytes,
  describeRecords,
  findOwn,
  findOwner,
  generateRecords,
  isRefused,
  type KnownFact,
  startMs,
  userLists,
} from "./known-people.ts";

// What pages show of people and addresses is compared with loops over the records themselves.
const seed = Number(process.env["PEOPLE_SEED"] ?? 1);
const random = newRandom(seed, "people of pages");
const hourMs = 3_600_000;
const sources = ["first", "second"];

let home: TestHome;
let database: Database;
let facts: KnownFact[];

beforeAll(async () => {
  home = await homeWithWarehouse();
  facts = [];
  for (const source of sources) {
    const records = generateRecords(random, source, 400);
    for (const [i, users] of userLists.entries()) {
      const part = records.filter((_, at) => at % userLists.length === i);
      const file = home.write(`${source}${i}.ndjson`, formatLines(part));
      const list = home.write(`${source}${i}.json`, JSON.stringify({ users }));
      const argv = ["--source", source, "import", file, "--users", list];
      const { code, err } = await home.run(argv);
      expect(code, err).toBe(0);
    }
    facts.push(...describeRecords(records, source));
  }
  const { published } = resolveHome(home.home);
  database = await openPublished(published, { memoryLimit: "500MB", threads: 1 });
}, 60_000);
afterAll(async () => {
  await database[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

function generateRange(): { readonly sinceMs: number; readonly untilMs: number } {
  const sinceMs = startMs + random.int(-20, 200) * hourMs;
  return { sinceMs, untilMs: sinceMs + random.int(1, 240) * hourMs };
}

const total = (of: readonly KnownFact[], count: (fact: KnownFact) => number): number =>
  of.reduce((sum, fact) => sum + count(fact), 0);

/** Events, refused ones and downloaded bytes of groups, by their names. */
function sumUp(own: readonly KnownFact[], nameOf: (fact: KnownFact) => string | null): object {
  const groups = Map.groupBy(own, (fact) => nameOf(fact) ?? "none");
  return Object.fromEntries(
    [...groups].map(([name, of]) => [name, [of.length, of.filter(isRefused).length]]),
  );
}

const people = [
  "ann@example.com",
  "ann.olsen@example.com",
  "bob@example.com",
  "cleo@example.com",
  "log.only@example.com",
  "beside@example.com",
  "svc-etl@example.com",
  "a'b,c\"d\n@x",
  "7",
  "21",
  "30",
];

test.each(people)("the activity of %j equals that of its records", async (person) => {
  const { connection } = database;
  for (let round = 0; round < 2; round++) {
    const range = generateRange();
    const inRange = facts.filter(({ time }) => time >= range.sinceMs && time < range.untilMs);
    // Names are found in all of the log, and events in the range.
    const own = sources.flatMap((source) =>
      findOwn(
        facts.filter((fact) => fact.source === source),
        person,
      ).filter((fact) => inRange.includes(fact)),
    );
    const keys = await findPersonKeys(connection, person);
    await collectEvents(connection, "user", range, bindKeys(keys));
    const about = `${person} seed ${seed}`;

    const slots = await readSlots(connection, "quarter");
    expect(
      slots.reduce((sum, { events }) => sum + events, 0),
      about,
    ).toBe(own.length);
    const byHour = (ms: number): number => Math.floor(ms / 900_000) * 900_000;
    const found = Map.groupBy(slots, ({ slotMs }) => slotMs);
    const known = Map.groupBy(own, ({ time }) => byHour(time));
    expect([...found.keys()], about).toEqual([...known.keys()].toSorted((a, b) => a - b));
    const denials = slots.filter(({ lane }) => lane === "denial");
    expect(denials.reduce((sum, { events }) => sum + events, 0)).toBe(own.filter(isRefused).length);
    expect(slots.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0)).toBe(total(own, countBytes));
    const seconds = await readSlots(connection, "second");
    expect(new Set(seconds.map(({ slotMs }) => slotMs))).toEqual(
      new Set(own.map(({ time }) => Math.floor(time / 1000) * 1000)),
    );

    const names = await readNames(connection);
    expect(
      Object.fromEntries(names.map((use) => [use.eventName, [use.events, use.refused]])),
    ).toEqual(sumUp(own, ({ canonical, name }) => canonical ?? name));
    const actors = await readActors(connection);
    expect(Object.fromEntries(actors.map((use) => [use.actor, [use.events, use.refused]]))).toEqual(
      sumUp(own, ({ actor }) => actor),
    );

    const addresses = await readAddresses(connection, range);
    expect(
      Object.fromEntries(
        addresses.map((use) => [use.ipAddress ?? "none", [use.events, use.refused]]),
      ),
      about,
    ).toEqual(sumUp(own, ({ ip }) => ip));
    for (const { ipAddress, others, seenMs } of addresses) {
      if (ipAddress === null || ipAddress === "internal") continue;
      const mine = new Set(own.map(({ actor }) => actor));
      const users = inRange.filter(
        (fact) =>
          fact.ip === ipAddress &&
          fact.actor !== "unknown" &&
          !mine.has(fact.actor) &&
          own.some((each) => each.source === fact.source && each.ip === ipAddress),
      );
      const named = new Set(users.map(({ source, actor }) => `${source} ${actor}`));
      expect(others, `${about} ${ipAddress}`).toBe(named.size);
      const of = facts.filter(
        (fact) =>
          fact.ip === ipAddress &&
          own.some((each) => each.source === fact.source && each.ip === ipAddress),
      );
      expect(seenMs).toBe(Math.min(...of.map(({ time }) => time)));
    }

    const databases = await readDatabases(connection);
    const ofJobs = own.filter(
      (fact) => fact.area === "Jobs" && fact.text("resource_name")!.includes("."),
    );
    expect(Object.fromEntries(databases.map((use) => [use.databaseName, use.events]))).toEqual(
      Object.fromEntries(
        [...Map.groupBy(ofJobs, (fact) => fact.text("resource_name")!.split(".")[0]!)].map(
          ([name, of]) => [name, of.length],
        ),
      ),
    );
    expect(databases.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0)).toBe(
      total(ofJobs, countBytes),
    );

    await compareUsual(keys, own, inRange, range);
  }
});

async function compareUsual(
  keys: Awaited<ReturnType<typeof findPersonKeys>>,
  own: readonly KnownFact[],
  inRange: readonly KnownFact[],
  range: ReturnType<typeof generateRange>,
): Promise<void> {
  const usual = await readUsual(database.connection, keys, range);
  const others = inRange.filter((fact) => !own.includes(fact));
  const named = others.filter(({ userId, recorded }) => userId !== null || recorded !== null);
  const groups = [
    ...Map.groupBy(
      named,
      ({ source, userId, recorded }) => `${source} ${userId ?? recorded}`,
    ).values(),
  ];
  const counts = groups.map((of) => of.length).toSorted((a, b) => a - b);
  expect(usual.people).toBe(groups.length);
  expect(usual.mostEvents).toBe(counts.at(-1) ?? null);
  const middle = counts.length / 2;
  const median =
    counts.length === 0 ? null : (counts[Math.ceil(middle) - 1]! + counts[Math.floor(middle)]!) / 2;
  // A half is rounded to either side.
  if (median !== null) expect(Math.abs(usual.medianEvents! - median)).toBeLessThanOrEqual(0.5);
  expect(usual.allBytes ?? 0).toBe(total(named, countBytes));
}

test("people are everyone of the directory and the log, and each event belongs to one of them", async () => {
  const range = generateRange();
  const question = { range, offsetMinutes: 60, search: null, order: "events", most: 1000 } as const;
  const rows = await readPeople(database.connection, { ...question, skipped: 0 });
  const key = ({ source, userId, person }: PersonRow): string => `${source} ${userId ?? person}`;
  const expected = new Map<string, KnownFact[]>();
  for (const source of sources) {
    const own = facts.filter((fact) => fact.source === source);
    for (const { id } of userLists.flat()) expected.set(`${source} ${id}`, []);
    for (const fact of own) {
      const owner = findOwner(own, fact);
      if (owner === undefined) continue;
      const of = expected.get(`${source} ${owner}`) ?? [];
      expected.set(`${source} ${owner}`, of);
      if (fact.time >= range.sinceMs && fact.time < range.untilMs) of.push(fact);
    }
  }
  expect(new Set(rows.map(key))).toEqual(new Set(expected.keys()));
  expect(rows).toHaveLength(expected.size);
  for (const row of rows) {
    const own = expected.get(key(row))!;
    const about = `${key(row)} seed ${seed}`;
    expect([row.events, row.refused, row.bytes], about).toEqual([
      own.length,
      own.filter(isRefused).length,
      total(own, countBytes),
    ]);
    const days = own.map(({ time }) => new Date(time + hourMs).toISOString().slice(0, 10));
    const counted = [...Map.groupBy(days, (day) => day)].map(([day, of]) => `${day} ${of.length}`);
    expect(row.days ?? "", about).toBe(counted.toSorted().join(","));
  }
  expect(rows.map(({ events }) => events)).toEqual(
    rows.map(({ events }) => events).toSorted((a, b) => b - a),
  );
  const pages = [];
  for (let skipped = 0; skipped < rows.length; skipped += 5)
    pages.push(...(await readPeople(database.connection, { ...question, most: 5, skipped })));
  expect(pages).toEqual(rows);
});

test.each([
  ["BOB", ["8"]],
  ["ann ol", ["7"]],
  ["21", ["21"]],
  ["%", []],
  ["log.only", [null]],
])("a search for %j finds people by name, e-mail and id", async (search, ids) => {
  const range = { sinceMs: startMs, untilMs: startMs + hourMs };
  const question = { range, offsetMinutes: 0, order: "risk", most: 100, skipped: 0 } as const;
  const rows = await readPeople(database.connection, { ...question, search });
  expect(rows.map(({ userId }) => userId)).toEqual(ids.flatMap((id) => [id, id]));
});
