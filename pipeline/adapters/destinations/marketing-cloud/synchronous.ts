import { warning } from "../../../base/notice/notice.ts";
import {
  type Meaning,
  explainAnswer,
  note,
  type Sending,
  formatSoFar,
  type Tally,
} from "./tally.ts";
import { AuditlakeError, exitCode } from "../../../base/errors.ts";
import { checkInterrupted } from "../../../base/http/transport.ts";
import { formatRowCount, runInParallel } from "../../../outgoing/targets/error.ts";
import { toSpans, type Ledger } from "../../../outgoing/targets/ledger.ts";
import { describeFewerTaken } from "./answer.ts";
import { splitIntoBatches, type Batch, type Batching } from "./batch.ts";
import { toValues, type Layout } from "./layout.ts";

/** What a call of synchronous insertion may hold (seed 002, Limits). */
const maxRows = 50;
const maxBytes = 5 * 1024 * 1024;
/** Where the seed advises asynchronous insertion. */
const muchRows = 100_000;
const batchesPerLine = 500;

export function newSynchronousWriter(layout: Layout): Batching["write"] {
  return (row) =>
    JSON.stringify({ keys: toValues(row, layout.keys), values: toValues(row, layout.others) });
}

/**
 * Sends the rows in batches of 50, one call after the other; throws AuditlakeError if the job must not continue. Calls
 * are upserts, so a call whose answer was lost is safely repeated.
 */
export async function sendSynchronously(
  { target, key, supply, batching, tally, ledger, session, context: { print, world } }: Sending,
  parallel: number,
): Promise<void> {
  const path = `/hub/v1/dataevents/key:${encodeURIComponent(key)}/rowset`;
  let batches = 0;
  let isWarned = false;
  const sendOne = async ({ items, numbers }: Batch): Promise<void> => {
    if (!isWarned && supply.taken() >= muchRows) {
      isWarned = true;
      print(warning("calls_many", { target: target.name, rows: muchRows, rows_per_call: maxRows }));
    }
    checkInterrupted(world);
    const what = `batch ${(batches += 1)} (${formatRowCount(items.length)})`;
    const spans = toSpans(numbers);
    // Rows with an unknown outcome, after an earlier process or a call without an answer.
    const doubtful = numbers.filter(ledger.isDoubtful);
    await ledger.begin(spans);
    const found = await session.rest("POST", path, {}, `[${items.join(",")}]`, "harmless");
    const meaning = explainRows(explainAnswer(found, what), items.length, what);
    if (meaning.kind === "taken") {
      await ledger.record(spans, "accepted");
      tally.accepted += items.length;
      if (batches % batchesPerLine === 0) print(formatSoFar(target.name, tally));
    } else if (meaning.kind === "failed" && target.continue_on_failure) {
      await recordFailed(numbers, meaning, doubtful, tally, ledger);
      note(tally, `${meaning.why}; some of its rows may have been saved before the first bad one`);
    } else {
      if (meaning.isUncertain) tally.uncertain += items.length;
      else await ledger.cancel(spans);
      throw new AuditlakeError(meaning.why, meaning.code);
    }
  };
  await runInParallel(
    splitIntoBatches(supply, { ...batching, maxRows, maxBytes }),
    parallel,
    sendOne,
  );
}

// A contradictory answer leaves the outcome of the rows open.
function explainRows(meaning: Meaning, rows: number, what: string): Meaning {
  const fault = meaning.kind === "taken" ? describeFewerTaken(meaning.text, rows) : undefined;
  if (fault === undefined) return meaning;
  const why = `${what}: answered with success, but ${fault}`;
  return { kind: "failed", why, code: exitCode.failed, isUncertain: true };
}

async function recordFailed(
  numbers: readonly number[],
  { isUncertain, why }: Extract<Meaning, { why: string }>,
  doubtful: readonly number[],
  tally: Tally,
  ledger: Ledger,
): Promise<void> {
  const uncertain = numbers.filter((row) => isUncertain || doubtful.includes(row));
  const refused = numbers.filter((row) => !uncertain.includes(row));
  await ledger.record(toSpans(uncertain), "uncertain", why);
  await ledger.record(toSpans(refused), "refused", why);
  tally.uncertain += uncertain.length;
  tally.refused += refused.length;
}
