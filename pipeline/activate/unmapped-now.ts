import type { DeltaStatus } from "../../schemas/activation.ts";
import { rowCount } from "../deliver/error.ts";
import { openLedger } from "../deliver/ledger-file.ts";
import { countsOf } from "../delivery/left.ts";
import type { Missed } from "../store/activation/begun-run.ts";
import type { DeliveryTally } from "./classes.ts";

/** A class of a delivery that was begun, its mapping removed since then, and the ledger of its rows. */
export type UnmappedClass = {
  readonly status: DeltaStatus;
  readonly rows: number;
  readonly ledger: string;
};

const states = ["refused", "uncertain", "open"] as const;

/**
 * Counts what became of such a class before its mapping went, and tells what of it stays behind, since nothing more of
 * it goes out. Resolves to the rows that did not arrive.
 */
export async function leaveClass(
  { status, rows, ledger: path }: UnmappedClass,
  tally: DeliveryTally,
  print: (line: string) => void,
): Promise<Missed[]> {
  await using ledger = await openLedger(path);
  const { accepted, refused, uncertain, open } = countsOf(ledger, rows);
  tally.accepted += accepted;
  tally.refused += refused;
  tally.uncertain += uncertain;
  if (open > 0)
    print(
      `warning: ${status}: its mapping is gone since the delivery began; ${rowCount(open)} of it did not go out`,
    );
  const numbers = Array.from({ length: rows }, (_, at) => at + 1);
  return states.map((state) => {
    const missed = numbers.filter((row) => ledger.stateOf(row) === state);
    return { status, state, rows: missed.map((row) => ({ row, why: ledger.whyOf(row) ?? "" })) };
  });
}
