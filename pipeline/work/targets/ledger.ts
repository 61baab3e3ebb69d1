/** What became of a row of a delivery so far; `open` is one that is still to go out. */
export type RowState = "open" | "accepted" | "refused" | "uncertain";

/** What became of the rows of one delivery, by their number in it, from 1. */
export type Ledger = {
  readonly stateOf: (row: number) => RowState;
  /** Why a row was refused or is uncertain; never shows a value. */
  readonly whyOf: (row: number) => string | undefined;
  /** Rows in a final state. */
  readonly count: (state: FinalState) => number;
  /** Throws RecordError where it cannot be written: rows that went out then count as uncertain. */
  readonly record: (rows: readonly Span[], state: FinalState, why?: string) => Promise<void>;
  /** What a connector keeps of a delivery that is gone on with. */
  readonly fact: (name: string) => string | undefined;
  /** With `isSynced` it is on the disk when it resolves, also over a power cut. */
  readonly setFact: (name: string, value: string, isSynced?: boolean) => Promise<void>;
};

/** A state in which a row stays until somebody asks for more. */
export type FinalState = Exclude<RowState, "open">;

/** An interval of rows, first and last. */
export type Span = readonly [number, number];

/** One entry of a ledger, as it is written. */
export type Entry =
  | {
      readonly rows: readonly Span[];
      readonly state: FinalState;
      readonly why?: string | undefined;
    }
  | { readonly fact: string; readonly value: string };

/** Which of the rows in a final state are tried again. */
export type Again = {
  readonly retryRefused?: boolean | undefined;
  readonly resendUncertain?: boolean | undefined;
};

/** Whether a row in a state is to go out now. */
export function isWanted(state: RowState, { retryRefused, resendUncertain }: Again): boolean {
  if (state === "refused") return retryRefused === true;
  if (state === "uncertain") return resendUncertain === true;
  return state === "open";
}

const states: readonly RowState[] = ["open", "accepted", "refused", "uncertain"];

/** A ledger that begins with the entries given; `write` gets each further one before it counts. */
export function newLedger(
  before: Iterable<Entry> = [],
  write: (entry: Entry, isSynced: boolean) => Promise<void> = () => Promise.resolve(),
): Ledger {
  let codes = new Uint8Array(1024);
  const whys = new Map<number, string>();
  const facts = new Map<string, string>();
  const counts = new Map<RowState, number>();
  const stateOf = (row: number): RowState => states[codes[row] ?? 0]!;
  const count = (state: RowState): number => counts.get(state) ?? 0;
  const put = (row: number, given: FinalState, why: string | undefined): void => {
    if (row >= codes.length) codes = grown(codes, row);
    const former = stateOf(row);
    // What perhaps arrived once stays so, whatever a later try meets.
    const state = former === "uncertain" && given === "refused" ? former : given;
    counts.set(former, count(former) - 1);
    counts.set(state, count(state) + 1);
    codes[row] = states.indexOf(state);
    if (why === undefined) whys.delete(row);
    else whys.set(row, why);
  };
  const enter = (entry: Entry): void => {
    if ("fact" in entry) return void facts.set(entry.fact, entry.value);
    for (const [first, last] of entry.rows)
      for (let row = first; row <= last; row++) put(row, entry.state, entry.why);
  };
  for (const entry of before) enter(entry);
  const add = async (entry: Entry, isSynced = false): Promise<void> => {
    try {
      await write(entry, isSynced);
    } catch (error) {
      // What went out and is on no record perhaps goes out again.
      if ("rows" in entry && entry.state !== "refused") enter({ ...entry, state: "uncertain" });
      throw error;
    }
    enter(entry);
  };
  return {
    stateOf,
    whyOf: (row) => whys.get(row),
    count,
    record: (rows, state, why) =>
      rows.length === 0 ? Promise.resolve() : add({ rows, state, why }),
    fact: (name) => facts.get(name),
    setFact: (fact, value, isSynced) => add({ fact, value }, isSynced),
  };
}

function grown(codes: Uint8Array<ArrayBuffer>, row: number): Uint8Array<ArrayBuffer> {
  const more = new Uint8Array(Math.max(codes.length * 2, row + 1));
  more.set(codes);
  return more;
}

/** The intervals that numbers make up, in any order. */
export function spansOf(numbers: readonly number[]): Span[] {
  const spans: [number, number][] = [];
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const last = spans.at(-1);
    if (last !== undefined && number <= last[1] + 1) last[1] = number;
    else spans.push([number, number]);
  }
  return spans;
}
