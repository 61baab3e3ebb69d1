import { spansOf, type Ledger, type Span } from "../../../work/targets/ledger.ts";

/**
 * Which rows are on their way, as the ledger has it. Of those that a process left there nobody knows whether they
 * arrived. A refusal of another try therefore shows nothing of the first.
 */
export type InFlight = {
  /** Rows that an earlier process, or a call without an answer, left on their way. */
  readonly isUncertain: (row: number) => boolean;
  /** To be called before rows are handed over. */
  readonly begin: (rows: readonly number[]) => Promise<void>;
  /** What became of them is known, or they were not handed over at all; otherwise they stay on their way. */
  readonly end: (rows: readonly number[], how: "answered" | "unsent") => Promise<void>;
};

const name = "in_flight";

/** The rows on their way of a delivery that begins, or is gone on with. */
export function inFlightOf(ledger: Ledger): InFlight {
  const before = new Set(rowsOf(ledger.fact(name)));
  const now = new Set<number>();
  const write = (): Promise<void> =>
    ledger.setFact(name, JSON.stringify(spansOf([...before.union(now)])));
  return {
    isUncertain: (row) => before.has(row),
    begin: (rows) => {
      for (const row of rows) now.add(row);
      return write();
    },
    end: (rows, how) => {
      for (const row of rows) {
        now.delete(row);
        if (how === "answered") before.delete(row);
      }
      return write();
    },
  };
}

function rowsOf(kept: string | undefined): number[] {
  const spans = JSON.parse(kept ?? "[]") as readonly Span[];
  return spans.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, at) => first + at),
  );
}
