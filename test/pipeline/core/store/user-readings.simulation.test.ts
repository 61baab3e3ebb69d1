import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newRandom, type Random } from "../../../../fixtures/random.ts";
import { readAsset } from "../../../../pipeline/base/home/assets.ts";
import { storeUsers } from "../../../../pipeline/core/store/user-readings.ts";

// Random histories of readings are each a separate source in one database. They are compared with a model that keeps
// for every user the readings at which they were there. More: USER_HISTORIES=3000 npx vitest run
// test/pipeline/core/store/user-readings.simulation.test.ts
const histories = Number(process.env["USER_HISTORIES"] ?? 60);
const seed = Number(process.env["USER_SEED"] ?? 1);

type Listed = ReadonlyMap<number, string>;
type Reading = {
  readonly list: Listed;
  readonly isFaulty: boolean;
  /** The list of the reading before, which a person accepts. */
  readonly isAccepted?: boolean;
};
/** The intervals of one name of a user, by the numbers of the readings; the last may be open. */
type Interval = {
  readonly id: number;
  readonly name: string;
  readonly from: number;
  to: number | null;
};

let instance: DuckDBInstance;
let connection: DuckDBConnection;
beforeAll(async () => {
  instance = await DuckDBInstance.create(":memory:");
  connection = await instance.connect();
  await connection.run("set threads = 1");
  for (const file of ["004_users", "009_directory_readings", "017_access_timeline"])
    await connection.run(readAsset(`schemas/tables/${file}.sql`));
  // What events since a user's first are noted for; the folds fill it.
  await connection.run(`
    create table sighting_rows (
      source varchar, subject_kind varchar, subject varchar, first_seen_at timestamp, last_seen_at timestamp
    );
    create table known_changes (change_id bigint, first_time timestamp, last_time timestamp)`);
});
afterAll(() => {
  connection.closeSync();
  instance.closeSync();
});

/** What a service says day after day: people come, go, return, are renamed, and lists break. */
function makeHistory(random: Random): Reading[] {
  const size = random.int(1, 30);
  const people = new Map<number, string>();
  for (let id = 0; id < size; id++) people.set(id, "a");
  const readings: Reading[] = [];
  const days = random.int(3, 8);
  for (let day = 0; day < days; day++) {
    for (let id = 0; id < size + 4; id++) {
      const draw = random.int(0, 99);
      if (draw < 4) people.delete(id);
      else if (draw < 8) people.set(id, "abc"[random.int(0, 2)]!);
    }
    if (random.int(0, 9) === 0) for (const id of people.keys()) if (id % 2) people.delete(id);
    const last = readings.at(-1);
    readings.push(random.int(0, 5) === 0 && last ? last : breakOff(people, random));
    // The same truncated list on some days, and sometimes an operator who accepts it.
    if (random.int(0, 3) > 0) continue;
    const cut = new Map([...people].slice(0, random.int(0, Math.floor(people.size / 2))));
    if (random.int(0, 2) === 0) cut.set(100 + day, "a");
    for (let i = random.int(1, 3); i > 0; i--) readings.push({ list: cut, isFaulty: false });
    if (random.int(0, 2) === 0) readings.push({ list: cut, isFaulty: false, isAccepted: true });
  }
  return readings;
}

function breakOff(people: Listed, random: Random): Reading {
  const all = [...people];
  switch (random.int(0, 9)) {
    case 0:
      return { list: new Map(), isFaulty: false };
    case 1:
      return { list: new Map(all.slice(0, random.int(0, all.length))), isFaulty: true };
    case 2:
    case 3: // The first page alone, so long or so long.
      return {
        list: new Map(all.slice(0, Math.ceil(all.length / random.int(2, 9)))),
        isFaulty: false,
      };
    case 4:
      return { list: new Map(all.slice(0, all.length - random.int(0, 4))), isFaulty: false };
    default:
      return { list: new Map(all), isFaulty: false };
  }
}

/**
 * The rule, stated by absences: a user who is absent from a list has ended. If many are absent at once, only those
 * end who were absent from the list before. That holds provided that this list brought back hardly any of those. A
 * list without most of the users that were there before any such list ends no user, unless the operator accepts it.
 */
function buildModel(readings: readonly Reading[]): Interval[] {
  const intervals: Interval[] = [];
  let waiting = new Set<number>();
  let trusted = new Set<number>();
  for (const [at, { list, isFaulty, isAccepted = false }] of readings.entries()) {
    const present = new Map(intervals.filter(({ to }) => to === null).map((s) => [s.id, s]));
    if (isFaulty || (!isAccepted && list.size === 0 && present.size > 0)) continue;
    const absent = [...present.keys()].filter((id) => !list.has(id));
    const lost = [...trusted].filter((id) => !list.has(id)).length;
    const isHeldBack = !isAccepted && lost >= 10 && lost > trusted.size - lost;
    const isMany = (ids: readonly number[]): boolean =>
      ids.length / present.size > 0.1 && !(present.size <= 9 && ids.length <= 2);
    const back = [...waiting].filter((id) => list.has(id));
    const twice = waiting.size > 0 && back.length / waiting.size <= 0.1;
    const news = twice ? absent.filter((id) => !waiting.has(id)) : absent;
    const left =
      isAccepted || !isMany(absent) || !isMany(news)
        ? absent
        : absent.filter((id) => !news.includes(id));
    const gone = isHeldBack ? [] : left;
    for (const id of gone) present.get(id)!.to = at;
    if (!isHeldBack) waiting = new Set(absent.filter((id) => !gone.includes(id)));
    for (const [id, name] of list) {
      const known = present.get(id);
      if (known?.name === name) continue;
      if (known) known.to = at;
      intervals.push({ id, name, from: at, to: null });
    }
    if (!isHeldBack)
      trusted = new Set(intervals.filter(({ to }) => to === null).map(({ id }) => id));
  }
  return intervals;
}

const toMoment = (day: number): string =>
  new Date(Date.UTC(2026, 0, day + 1, 2)).toISOString().replace("T", " ").replace("Z", "");

async function listStored(source: string): Promise<Interval[]> {
  const reader = await connection.runAndReadAll(
    "select user_id::int, name, dayofyear(valid_from)::int - 1, dayofyear(valid_to)::int - 1 from user_history where source = $source",
    { source },
  );
  return reader.getRows().map(([id, name, from, to]) => ({ id, name, from, to }) as Interval);
}

/** How often a user came back. */
const gapsIn = (intervals: readonly Interval[]): number =>
  intervals.filter(({ id, to }) => to !== null && intervals.some((s) => s.id === id && s.from > to))
    .length;

const sort = (intervals: readonly Interval[]): string[] =>
  intervals.map(({ id, name, from, to }) => `${id} ${name} ${from} ${to}`).sort();

test("users start and end as a model of their absences says, with any lists", async () => {
  const random = newRandom(seed, "user histories");
  let returns = 0;
  for (let i = 0; i < histories; i++) {
    const readings = makeHistory(random);
    const source = `s${i}`;
    for (const [day, { list, isFaulty, isAccepted = false }] of readings.entries())
      await storeUsers(connection, {
        source,
        readAt: toMoment(day),
        users: [...list].map(([id, name]) => ({ id: BigInt(id), name })),
        against: isFaulty ? ["errors"] : [],
        accepted: isAccepted ? "they moved" : undefined,
      });
    const expected = buildModel(readings);
    expect(sort(await listStored(source)), `seed ${seed}, history ${i}`).toEqual(sort(expected));
    returns += gapsIn(expected);
  }
  const verdicts = await connection.runAndReadAll(
    "select verdict, count(*)::int from directory_readings group by verdict order by verdict",
  );
  expect(verdicts.getRows().map(([verdict]) => verdict)).toEqual([
    "accepted",
    "empty",
    "faulty",
    "held_back",
    "loss",
    "whole",
  ]);
  // The history between the readings is consistent: no user exists twice.
  const twice = await connection.runAndReadAll(
    "select count(*)::int from user_history as a inner join user_history as b on b.source = a.source and b.user_id = a.user_id and b.valid_from > a.valid_from and (a.valid_to is null or b.valid_from < a.valid_to)",
  );
  expect(twice.getRows()).toEqual([[0]]);
  expect(returns).toBeGreaterThan(0);
}, 120_000);

test("other data of a user on a list is stored unchanged, and omitted if missing", async () => {
  const more = [{}, { locale: "de" }, { locale: "de", zone: null }, { roles: ["a", "b"] }];
  const users = more.map((fields, i) => ({ id: BigInt(i), email: "a@example.com", ...fields }));
  await storeUsers(connection, { source: "more", readAt: toMoment(0), users });
  const reader = await connection.runAndReadAll(
    "select extra::varchar from user_history where source = 'more' order by user_id",
  );
  const [none, ...kept] = reader.getRows().map(([extra]) => extra);
  expect([none, ...kept.map((text) => JSON.parse(String(text)) as object)]).toEqual([
    null,
    ...more.slice(1),
  ]);
});
