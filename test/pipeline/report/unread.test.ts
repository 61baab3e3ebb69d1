import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readAsset } from "../../../pipeline/home/assets.ts";
import { toTimestamp } from "../../../pipeline/moments/text.ts";
import { unreadAt, unreadBetween, unreadOf } from "../../../pipeline/report/unread.ts";

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
  connection = await (await DuckDBInstance.create(":memory:")).connect();
  await connection.run(readAsset("schemas/tables/001_ledger.sql"));
  await connection.run("create table event_rows (source varchar, event_time timestamp)");
});
afterAll(() => connection.closeSync());
beforeEach(() => connection.run("delete from window_reads; delete from event_rows"));

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

// Minute by minute: whoever asked for it after it was over has seen it.
function seenIn(all: readonly Read[], source: string): boolean[] {
  return Array.from({ length: minutes }, (_, minute) =>
    all.some(
      (read) =>
        read.source === source &&
        read.kind === "read" &&
        minute >= read.from &&
        minute < read.from + read.length &&
        minute < (read.served ?? read.asked),
    ),
  );
}

describe("what was not read of a log", () => {
  it("is each minute that no read covers, moment by moment and range by range", async () => {
    await fc.assert(
      fc.asyncProperty(reads, async (all) => {
        await connection.run("delete from window_reads");
        for (const read of all) await insert(read);
        const unread = await unreadOf(connection, undefined);
        for (const source of ["a", "b"]) {
          const seen = seenIn(all, source);
          const own = unread.filter((each) => each.source === source);
          expect(await unreadOf(connection, source)).toEqual(own);
          if (!seen.includes(true)) {
            expect(own).toEqual([]);
            continue;
          }
          const told = seen.map((_, minute) => unreadAt(own, at(minute)).length === 0);
          // How things stand at the end of what was read is known.
          expect(told).toEqual(seen.map((is, minute) => is || seen[minute - 1] === true));
          expect(unreadAt(own, at(-1)).length + unreadAt(own, at(minutes + 1)).length).toBe(2);
          for (const [from, until] of [
            [0, 10],
            [20, 21],
            [30, minutes],
          ] as const) {
            // What lies behind the last is told only where nothing of the range was read.
            const last = seen.lastIndexOf(true);
            const within = seen.slice(from, Math.min(until, Math.max(last + 1, from + 1)));
            expect(unreadBetween(own, at(from), at(until)).length > 0).toBe(within.includes(false));
          }
        }
      }),
      { numRuns: 60, seed: 11 },
    );
  });

  it("is of files what lies before their first event, and behind the last where no window was read", async () => {
    const read = {
      from: 20,
      length: 5,
      asked: 50,
      served: null,
      kind: "read",
      source: "a",
    } as const;
    await insert(read, true);
    const log = [4, 9].map((minute) => `('a', timestamp '${toTimestamp(at(minute))}')`);
    await connection.run(`insert into event_rows values ${log.join(", ")}`);
    const bounds = async (): Promise<unknown> =>
      (await unreadOf(connection, "a")).map(({ fromMs, untilMs }) => [fromMs, untilMs]);
    expect(await bounds()).toEqual([
      [null, at(4)],
      [at(9), null],
    ]);
    await insert(read);
    await insert({ ...read, from: 30 });
    expect(await bounds()).toEqual([
      [null, at(4)],
      [at(25), at(30)],
      [at(35), null],
    ]);
  });

  it("is told in three lines where it is often, and with its bounds", () => {
    const unread = [0, 10, 20, 30, 40].map((minute) => ({
      source: "a",
      fromMs: minute === 0 ? null : at(minute),
      untilMs: at(minute + 5),
      isService: false,
    }));
    expect(unreadBetween(unread, at(0), at(60))).toEqual([
      "the log of a was not read before 2026-03-01T00:05:00Z",
      "the log of a was not read from 2026-03-01T00:10:00Z to 2026-03-01T00:15:00Z",
      "the log of a was not read from 2026-03-01T00:20:00Z to 2026-03-01T00:25:00Z",
      "2 more times of the range were not read",
    ]);
    expect(unreadBetween(unread, at(5), at(10))).toEqual([]);
  });
});
