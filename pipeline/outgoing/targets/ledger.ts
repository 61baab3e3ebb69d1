import { z } from "zod";
import { AuditlakeError, getMessage } from "../../base/errors.ts";
import { openGrowing } from "../../base/home/growing-file.ts";
import { RecordError } from "./error.ts";

/** State of a row of a delivery; `open` is pending. */
export type RowState = "open" | "accepted" | "refused" | "uncertain";

/** A state that only the operator can change, by requesting a retry. */
export type FinalState = Exclude<RowState, "open">;

/** An interval of rows, first and last. */
export type Span = readonly [number, number];

/** Numbers of the rows of a delivery by their state. */
export type RowCounts = Readonly<Record<RowState, number>>;

/** The one record of what was sent of a delivery: the state of its rows, by their number in it, from 1. */
export type Ledger = {
  readonly getState: (row: number) => RowState;
  /** Why a row was refused or is uncertain; never shows a value. */
  readonly getReason: (row: number) => string | undefined;
  /** Rows in a final state. */
  readonly count: (state: FinalState) => number;
  /**
   * Records that rows are about to be sent. Until their state is recorded, or that none of them left, a later attempt
   * takes them for uncertain. With `isSynced` it is on the disk when it resolves, also over a power cut.
   */
  readonly begin: (rows: readonly Span[], isSynced?: boolean) => Promise<void>;
  /** Records that nothing of rows that were about to be sent has left. */
  readonly cancel: (rows: readonly Span[]) => Promise<void>;
  /** Whether a row may have arrived by a send whose outcome is unknown. */
  readonly isDoubtful: (row: number) => boolean;
  /** Throws RecordError where it cannot be written: rows that went out then count as uncertain. */
  readonly record: (rows: readonly Span[], state: FinalState, why?: string) => Promise<void>;
  /** Records all rows as uncertain that an earlier attempt was sending when it ended. */
  readonly recordInterrupted: () => Promise<void>;
  /** What a connector keeps for a later attempt at the same delivery. */
  readonly fact: (name: string) => string | undefined;
  readonly setFact: (name: string, value: string, isSynced?: boolean) => Promise<void>;
};

export type Entry =
  | {
      readonly rows: readonly Span[];
      readonly state: FinalState | "sending" | "unsent";
      readonly why?: string | undefined;
    }
  | { readonly fact: string; readonly value: string };

const span = z.tuple([z.int().min(1), z.int()]);
const entry: z.ZodType<Entry> = z.union([
  z.object({
    rows: z.array(span),
    state: z.enum(["accepted", "refused", "uncertain", "sending", "unsent"]),
    why: z.string().optional(),
  }),
  z.object({ fact: z.string(), value: z.string() }),
]);

/** Which of the rows in a final state are tried again. */
export type RetryOptions = {
  readonly retryRefused?: boolean | undefined;
  readonly resendUncertain?: boolean | undefined;
};

/** Decides whether a row in a state is to go out now. */
export function isWanted(
  state: RowState,
  { retryRefused, resendUncertain }: RetryOptions,
): boolean {
  if (state === "refused") return retryRefused === true;
  if (state === "uncertain") return resendUncertain === true;
  return state === "open";
}

export function countStates({ count }: Pick<Ledger, "count">, rows: number): RowCounts {
  const counts = {
    accepted: count("accepted"),
    refused: count("refused"),
    uncertain: count("uncertain"),
  };
  return { ...counts, open: rows - counts.accepted - counts.refused - counts.uncertain };
}

/**
 * Opens the ledger of a delivery, an append-only file without the content of rows. After a power failure, lost entries
 * cause rows to be resent. If a receiver cannot recognize them, `begin` is synced. Throws AuditlakeError for a damaged
 * file.
 */
export async function openLedger(path: string): Promise<Ledger & AsyncDisposable> {
  const before: Entry[] = [];
  const file = await openGrowing(path, (lines) => {
    for (const [index, line] of lines.entries()) before.push(readEntry(line, path, index + 1));
  });
  const ledger = newLedger(before, (each, isSynced) =>
    file.append(JSON.stringify(each), isSynced).catch((error: unknown) => {
      throw new RecordError(getMessage(error));
    }),
  );
  return { ...ledger, [Symbol.asyncDispose]: () => file[Symbol.asyncDispose]() };
}

function readEntry(line: string, path: string, number: number): Entry {
  try {
    return entry.parse(JSON.parse(line));
  } catch {
    throw new AuditlakeError(
      `${path}, line ${number} is damaged, so the rows that were sent are unknown; nothing was sent; start another delivery with --new`,
    );
  }
}

/** Why rows are uncertain that an attempt was sending when it ended. */
export const interruptedSend = "an earlier attempt started sending and got no answer";

const states: readonly RowState[] = ["open", "accepted", "refused", "uncertain"];

/** A ledger that begins with the entries given; `write` gets each further one before it counts. */
export function newLedger(
  before: Iterable<Entry> = [],
  write: (entry: Entry, isSynced: boolean) => Promise<void> = () => Promise.resolve(),
): Ledger {
  const facts = new Map<string, string>();
  const rowStates = newRowStates();
  const { getState, sending } = rowStates;
  const enterRows = (each: Entry): void => {
    if ("fact" in each) facts.set(each.fact, each.value);
    else for (const row of listRows(each.rows)) rowStates.put(row, each.state, each.why);
  };
  for (const each of before) enterRows(each);
  for (const row of listRows(listPreviousSends(facts)))
    if (getState(row) !== "accepted") rowStates.put(row, "sending");
  const add = async (each: Entry, isSynced = false): Promise<void> => {
    if ("rows" in each && each.rows.length === 0) return;
    try {
      await write(each, isSynced);
    } catch (error) {
      // What went out and is on no record perhaps goes out again.
      if ("rows" in each && (each.state === "accepted" || each.state === "uncertain"))
        enterRows({ ...each, state: "uncertain" });
      throw error;
    }
    enterRows(each);
  };
  const recordRows: Ledger["record"] = (rows, state, why) => add({ rows, state, why });
  return {
    getState,
    getReason: rowStates.getReason,
    count: rowStates.count,
    begin: (rows, isSynced) => add({ rows, state: "sending" }, isSynced),
    cancel: (rows) => add({ rows, state: "unsent" }),
    isDoubtful: (row) => sending.has(row) || getState(row) === "uncertain",
    record: recordRows,
    recordInterrupted: () => recordRows(toSpans([...sending.keys()]), "uncertain", interruptedSend),
    fact: (name) => facts.get(name),
    setFact: (fact, value, isSynced) => add({ fact, value }, isSynced),
  };
}

type RowStates = Pick<Ledger, "getState" | "getReason" | "count"> & {
  /** How many sends of a row began whose outcome is unknown. */
  readonly sending: ReadonlyMap<number, number>;
  readonly put: (row: number, state: FinalState | "sending" | "unsent", why?: string) => void;
};

function newRowStates(): RowStates {
  let codes = new Uint8Array(1024);
  const whys = new Map<number, string>();
  const counts = new Map<RowState, number>();
  const sending = new Map<number, number>();
  const getState = (row: number): RowState => states[codes[row] ?? 0]!;
  const count = (state: RowState): number => counts.get(state) ?? 0;
  const addSends = (row: number, change: 1 | -1): void => {
    const sends = (sending.get(row) ?? 0) + change;
    if (sends > 0) sending.set(row, sends);
    else sending.delete(row);
  };
  const setState = (row: number, given: FinalState, why: string | undefined): void => {
    if (row >= codes.length) codes = growCodes(codes, row);
    const previous = getState(row);
    // An uncertain row stays uncertain, even if a retry is refused.
    const state = previous === "uncertain" && given === "refused" ? previous : given;
    counts.set(previous, count(previous) - 1);
    counts.set(state, count(state) + 1);
    codes[row] = states.indexOf(state);
    sending.delete(row);
    if (why === undefined) whys.delete(row);
    else whys.set(row, why);
  };
  const put: RowStates["put"] = (row, state, why) => {
    if (state === "sending") addSends(row, 1);
    else if (state === "unsent") addSends(row, -1);
    else setState(row, state, why);
  };
  return { getState: getState, getReason: (row) => whys.get(row), count, sending, put };
}

// Facts by which connectors of earlier versions recorded unfinished sends: a message, batches, rows.
function listPreviousSends(facts: ReadonlyMap<string, string>): Span[] {
  const message = /^(\d+)-(\d+)$/.exec(facts.get("begun") ?? "");
  const size = Number(facts.get("batch_rows"));
  const batches = [...facts].flatMap(([name, value]) => {
    const batch = value === "yes" ? /^begun_(\d+)$/.exec(name)?.[1] : undefined;
    return batch === undefined
      ? []
      : [[(Number(batch) - 1) * size + 1, Number(batch) * size] as const];
  });
  return [
    ...(message === null ? [] : [[Number(message[1]), Number(message[2])] as const]),
    ...batches,
    ...z.array(span).parse(JSON.parse(facts.get("in_flight") ?? "[]")),
  ];
}

function* listRows(spans: readonly Span[]): Generator<number> {
  for (const [first, last] of spans) for (let row = first; row <= last; row++) yield row;
}

function growCodes(codes: Uint8Array<ArrayBuffer>, row: number): Uint8Array<ArrayBuffer> {
  const more = new Uint8Array(Math.max(codes.length * 2, row + 1));
  more.set(codes);
  return more;
}

/** The intervals that numbers make up, in any order. */
export function toSpans(numbers: readonly number[]): Span[] {
  const spans: [number, number][] = [];
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const last = spans.at(-1);
    if (last !== undefined && number <= last[1] + 1) last[1] = number;
    else spans.push([number, number]);
  }
  return spans;
}
