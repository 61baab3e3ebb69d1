import { globSync } from "node:fs";
import type { Random } from "../../../fixtures/random.ts";
import { expandRecord, readCases } from "../../../pipeline/core/detection-cases/try-cases.ts";

export type LogRecord = Record<string, unknown> & { readonly time: number };

/** A log with what detections look for, and its users. */
export type Log = { readonly records: readonly LogRecord[]; readonly users: readonly object[] };

const daySeconds = 86_400;

/**
 * Cases of some detections, moved in time and mixed, so that they overlap: one case may complete what another has
 * just below a limit. Borders of months are on any of its days.
 */
export function drawLog(random: Random): Log {
  const cases = globSync("queries/reports/*/*.test.json").flatMap((path) => readCases(path).cases);
  const chosen = Array.from({ length: 12 }, () => random.pick(cases));
  const start = random.int(0, 31) * daySeconds;
  const records = chosen.flatMap(({ records }, number) => {
    const shift = start + random.int(0, 5) * Math.floor(daySeconds / 4);
    const name = random.chance(0.5) ? "" : `${number}-`;
    return records.flatMap((one) => expandRecord(one)).map((one) => moveRecord(one, shift, name));
  });
  return { records, users: chosen.flatMap(({ users }) => users) };
}

// Some cases share their people and objects with others, which makes windows of both.
function moveRecord(record: object, shift: number, name: string): LogRecord {
  const { time, id, ...rest } = record as LogRecord;
  return {
    ...rest,
    time: time + shift,
    ...(id === undefined ? {} : { id: `${name}${String(id)}` }),
  };
}

/** Cuts a log into reads, in an order of its own; some are read twice. */
export function cutLog(records: readonly LogRecord[], random: Random): (readonly LogRecord[])[] {
  const isByTime = random.chance(0.5);
  const ordered = isByTime ? records.toSorted((a, b) => a.time - b.time) : shuffle(records, random);
  const parts = random.int(2, 5);
  const size = Math.ceil(ordered.length / parts);
  const reads = Array.from({ length: parts }, (_, n) => ordered.slice(n * size, (n + 1) * size));
  const again = reads.filter(() => random.chance(0.3)).map((read) => read.map(reorderFields));
  return shuffle([...reads, ...again], random).filter((read) => read.length > 0);
}

// The same record in another form.
function reorderFields(record: LogRecord): LogRecord {
  const entries = Object.entries(record).toReversed();
  return { ...(Object.fromEntries(entries) as LogRecord), time: record.time };
}

function shuffle<T>(all: readonly T[], random: Random): T[] {
  return all
    .map((each) => ({ each, place: random.next() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ each }) => each);
}
