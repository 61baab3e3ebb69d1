import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readAsset } from "../../../../pipeline/base/home/assets.ts";
import { toTimestamp } from "../../../../pipeline/base/time/text.ts";
import {
  listUnreadAt,
  listUnreadBetween,
  readUnreadTimes,
  listUnreadWithin,
} from "../../../../pipeline/answers/report/unread.ts";
import type { Unread } from "../../../../pipeline/base/rows/row.ts";
import type { Question } from "../../../../pipeline/base/sql/question.ts";

// Of which times a log was not read, against a list of minutes that are crossed off one by one.

const startMs = Date.UTC(2026, 2, 1);
const minutes = 60;
const at = (minute: number): number => startMs + minute * 60_000;

type Read = {
  readonly from: number;
  readonly length: number;
  /** When it was asked for, and what the service said of its clock, both after the window begins or not. */
  readonly asked: number;
  readonly served: number | null;
  readonly kind: "read" | "mark" | "neutral";
  readonly source: "a" | "b";
};

const reads = fc.array(
  fc.record({
    from: fc.nat(minutes - 10),
    length: fc.integer({ min: 1, max: 9 }),
    asked: fc.nat(minutes),
    served: fc.option(fc.nat(minutes)),
    kind: fc.constantFrom("read", "read", "read", "mark", "neutral"),
    source: fc.constantFrom("a", "b"),
  } satisfies { [K in keyof Read]: fc.Arbitrary<Read[K]> }),
  { maxLength: 12 },
);

let connection: DuckDBConnection;
beforeAll(async () => {
  connection = await (await DuckDBInstance.create(":memory:", { threads: "1" })).connect();
  for (const file of ["001_ledger", "006_prunes"])
    await connection.run(readAsset(`schemas/tables/${file}.sql`));
  for (const columns of [
    "event_rows (source varchar, event_time timestamp)",
    "user_history (source varchar)",
    "policy_snapshots (source varchar)",
  ])
    await connection.run(`create table ${columns}`);
});
afterAll(() => connection.closeSync());
beforeEach(async () => {
  for (const table of ["window_reads", "event_rows", "policy_snapshots", "prunes"])
    await connection.run(`delete from ${table}`);
});

async function insert(
  { from, length, asked, served, kind, source }: Read,
  isFile = false,
): Promise<void> {
  const moment = (minute: number): string => `timestamp '${toTimestamp(at(minute))}'`;
  const window = isFile ? ["null", "null"] : [moment(from), moment(from + length)];
  await connection.run(`
    insert into window_reads by name
    select 'r' as read_id, 'x' as run_id, '${source}' as source,
      ${window[0]} as window_start, ${window[1]} as window_end, ${moment(asked)} as read_at,
      ${served === null ? "null" : moment(served)} as server_time, 'closed' as state, 0 as pages, 0 as fetched,
      0 as inserted, 0 as duplicate, 0 as quarantined, 0 as vanished, 0 as outside, '' as digest,
      [] as evidence, [] as signs, ${kind === "neutral"} as neutral, 1 as parts, false as next_followed,
      false as half_asked, ${kind === "mark"} as is_mark`);
}

// Minute by minute: a read shows a minute that had ended by both clocks.
function seenIn(all: readonly Read[], source: string): boolean[] {
  return Array.from({ length: minutes }, (_, minute) =>
    all.some(
      (read) =>
        read.source === source &&
        read.kind === "read" &&
        minute >= read.from &&
        minute < read.from + read.length &&
        minute < Math.min(read.asked, read.served ?? read.asked),
    ),
  );
}

describe("unread time of a log", () => {
  it("is each minute that no read covers, moment by moment and range by range", async () => {
    await fc.assert(
      fc.asyncProperty(reads, async (all) => {
        await connection.run("delete from window_reads");
        for (const read of all) await insert(read);
        const { unread, upToMs } = await readUnreadTimes(connection, undefined);
        // How far a service was requested, regardless of the outcome.
        const asked = all.filter(({ kind }) => kind !== "mark");
        const ends = asked.map(({ from, length, served, asked: askedAt }) =>
          Math.min(from + length, askedAt, served ?? askedAt),
        );
        expect(upToMs).toBe(ends.length === 0 ? null : at(Math.max(...ends)));
        for (const source of ["a", "b"]) {
          const seen = seenIn(all, source);
          const own = unread.filter((each) => each.source === source);
          expect((await readUnreadTimes(connection, source)).unread).toEqual(own);
          if (!seen.includes(true)) {
            const whole = { source, fromMs: null, untilMs: null, isPruned: false };
            expect(own).toEqual(all.some((read) => read.source === source) ? [whole] : []);
            continue;
          }
          const isRead = seen.map((_, minute) => listUnreadAt(own, at(minute)).length === 0);
          // The state at the end of what was read is known.
          expect(isRead).toEqual(seen.map((is, minute) => is || seen[minute - 1] === true));
          expect(listUnreadAt(own, at(-1)).length + listUnreadAt(own, at(minutes + 1)).length).toBe(
            2,
          );
          for (const [from, until] of [
            [0, 10],
            [20, 21],
            [30, minutes],
          ] as const) {
            const within = seen.slice(from, until);
            expect(listUnreadBetween(own, at(from), at(until)).length > 0).toBe(
              within.includes(false),
            );
          }
        }
      }),
      { numRuns: 60, seed: 11 },
    );
  });

  const file: Read = { from: 20, length: 5, asked: 999, served: null, kind: "read", source: "a" };
  const bounds = async (): Promise<unknown> =>
    (await readUnreadTimes(connection, "a")).unread.map(({ fromMs, untilMs }) => [fromMs, untilMs]);
  const events = (...all: number[]): Promise<unknown> =>
    connection.run(
      `insert into event_rows values ${all.map((minute) => `('a', timestamp '${toTimestamp(at(minute))}')`).join(", ")}`,
    );

  it("of files is the time before their first event and after their last, up to the first window", async () => {
    await insert(file, true);
    await events(4, 9);
    expect(await bounds()).toEqual([
      [null, at(4)],
      [at(9), null],
    ]);
    // Within an hour of the first window nothing counts as missing, nor does the time between files, which is
    // unknown.
    await insert(file);
    await insert({ ...file, from: 30 });
    expect(await bounds()).toEqual([
      [null, at(4)],
      [at(25), at(30)],
      [at(35), null],
    ]);
    await connection.run(
      "update window_reads set window_start = window_start + interval 2 hours, window_end = window_end + interval 2 hours where window_start is not null",
    );
    expect(await bounds()).toEqual([
      [null, at(4)],
      [at(9), at(140)],
      [at(145), at(150)],
      [at(155), null],
    ]);
    // What a file brings of later times is there, and not known to be whole.
    await events(300);
    expect(await bounds()).toEqual([
      [null, at(4)],
      [at(9), at(140)],
      [at(145), at(150)],
      [at(155), at(300)],
      [at(300), null],
    ]);
  });

  it("is all of it if no window was read completely, even if users of that source are known", async () => {
    await connection.run("insert into policy_snapshots values ('a')");
    expect(await bounds()).toEqual([[null, null]]);
    await insert({ ...file, kind: "neutral" });
    expect(await bounds()).toEqual([[null, null]]);
    const { unread, upToMs } = await readUnreadTimes(connection, undefined);
    expect(upToMs).toBe(at(25));
    const line = "no part of the log of a was read completely";
    expect(listUnreadBetween(unread, at(0), at(1))).toEqual([line]);
    expect(listUnreadAt(unread, at(0))).toEqual([`${line}: later changes are unknown`]);
  });

  it("includes pruned time for events, and not for rights", async () => {
    await insert(file);
    await connection.run(`insert into prunes values
      ('p', timestamp '2026-03-02', timestamp '2026-03-01 00:22', null, true, 1, 5, 0),
      ('q', timestamp '2026-03-02', timestamp '2026-03-01 00:24', null, false, 1, 5, 0)`);
    const { unread } = await readUnreadTimes(connection, undefined);
    expect(listUnreadBetween(unread, at(21), at(23))).toEqual([
      "the events of a before 2026-03-01T00:22:00Z were pruned",
    ]);
    expect(listUnreadAt(unread, at(21))).toEqual([]);
  });

  it("is reported for a source that ends before others, and for the last one by how far data goes", async () => {
    const moment = (minute: number) => ({ type: "timestamp", value: at(minute) }) as const;
    const range = (since: number, until: number) => [
      { since: moment(since), until: moment(until) },
    ];
    const lines = async (since: number, until: number): Promise<string[]> =>
      listUnreadWithin(await readUnreadTimes(connection, undefined), range(since, until));
    await insert({ ...file, from: 0, length: 100 });
    await insert({ ...file, from: 0, length: 130, source: "b" });
    expect(await lines(10, 200)).toEqual([]);
    await insert({ ...file, from: 0, length: 190, source: "b" });
    expect(await lines(10, 200)).toEqual(["the log of a ends at 2026-03-01T01:40:00Z"]);
    expect(await lines(10, 100)).toEqual([]);
    expect(await lines(195, 200)).toEqual([
      "the log of a ends at 2026-03-01T01:40:00Z",
      "the log of b ends at 2026-03-01T03:10:00Z",
    ]);
  });

  it("is reported for the time that a query looks back and ahead over, and for its moment", async () => {
    const hours = 60;
    const listMessages = async (values: Question["values"]): Promise<string[]> =>
      listUnreadWithin(await readUnreadTimes(connection, undefined), [values]);
    const integer = (value: number) => ({ type: "integer", value: String(value) }) as const;
    const moment = (minute: number) => ({ type: "timestamp", value: at(minute) }) as const;
    await insert({ ...file, from: 0, length: 10 * hours, asked: 99_999 });
    await insert({ ...file, from: 12 * hours, length: 60 * hours, asked: 99_999 });
    const begins = "the log of a begins at 2026-03-01T00:00:00Z";
    const gap = "the log of a is incomplete from 2026-03-01T10:00:00Z to 2026-03-01T12:00:00Z";
    const [since, until] = [moment(13 * hours), moment(14 * hours)];
    expect(await listMessages({ since, until })).toEqual([]);
    expect(await listMessages({ since, until, days: integer(0) })).toEqual([]);
    expect(await listMessages({ since, until, days: integer(1) })).toEqual([begins, gap]);
    const early = { since: moment(2 * hours), until: moment(9 * hours) };
    expect(await listMessages({ ...early, hours: integer(1) })).toEqual([]);
    expect(await listMessages({ ...early, hours: integer(2) })).toEqual([gap]);
    expect(await listMessages({ on: moment(9 * hours) })).toEqual([]);
    expect(await listMessages({ on: moment(9 * hours), hours: integer(2) })).toEqual([gap]);
    expect(await listMessages({ on: moment(13 * hours), days: integer(1) })).toEqual([begins, gap]);
    expect(await listMessages({ on: moment(11 * hours) })).toEqual([
      `${gap}: changes in that time are unknown`,
    ]);
    // Up to when the data goes is said in any case, and that of another source is not.
    expect(await listMessages({ on: moment(99 * hours) })).toEqual([]);
    await insert({ ...file, from: 0, length: 5 * hours, asked: 99_999, source: "b" });
    expect(await listMessages({ on: moment(13 * hours) })).toEqual([
      "the log of b ends at 2026-03-01T05:00:00Z: later changes are unknown",
    ]);
  });

  it("is reported in three lines if it is frequent, with its bounds", () => {
    const unread: Unread[] = [0, 10, 20, 30, 40].map((minute) => ({
      source: "a",
      fromMs: minute === 0 ? null : at(minute),
      untilMs: at(minute + 5),
      isPruned: false,
    }));
    expect(listUnreadBetween(unread, at(0), at(60))).toEqual([
      "the log of a begins at 2026-03-01T00:05:00Z",
      "the log of a is incomplete from 2026-03-01T00:10:00Z to 2026-03-01T00:15:00Z",
      "the log of a is incomplete from 2026-03-01T00:20:00Z to 2026-03-01T00:25:00Z",
      "2 more parts of the range are incomplete",
    ]);
    expect(listUnreadBetween(unread, at(5), at(10))).toEqual([]);
  });
});

it.each([
  [null, null, "no part of the log of a was read completely: later changes are unknown"],
  [
    null,
    5,
    "the log of a begins at 2026-03-01T00:05:00Z: earlier changes are known only from later events",
  ],
  [1, null, "the log of a ends at 2026-03-01T00:01:00Z: later changes are unknown"],
  [
    1,
    5,
    "the log of a is incomplete from 2026-03-01T00:01:00Z to 2026-03-01T00:05:00Z: changes in that time are unknown",
  ],
])("is described for a log that is not complete from %j to %j", (from, until, line) => {
  const [fromMs, untilMs] = [from, until].map((minute) => (minute === null ? null : at(minute)));
  const unread = { source: "a", fromMs: fromMs!, untilMs: untilMs!, isPruned: false };
  expect(listUnreadAt([unread], at(3))).toEqual([line]);
  expect(listUnreadAt([{ ...unread, isPruned: true }], at(3))).toEqual([]);
});
