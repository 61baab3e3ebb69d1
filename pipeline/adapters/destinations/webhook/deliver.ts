import { type Notice, warning } from "../../../base/notice/notice.ts";
import type { WebhookTarget } from "../../../../schemas/connectors/webhook.ts";
import { AuditlakeError, exitCode } from "../../../base/errors.ts";
import { formatOutcome, type Sent, newUnsentExchange } from "../../../base/http/transport.ts";
import type { Deliver, Delivery } from "../../../outgoing/targets/destination.ts";
import { DeliveryError, formatRowCount, runInParallel } from "../../../outgoing/targets/error.ts";
import {
  type RetryOptions,
  interruptedSend,
  isWanted,
  type Ledger,
} from "../../../outgoing/targets/ledger.ts";
import { splitIntoBatches, writeBody, postBatch, newSender, type Batch } from "./request.ts";
import { findRefusal } from "./refusal.ts";

/**
 * Posts rows as signed JSON, batch by batch, and stops at the first batch without an individual answer. A batch is
 * retried until it is answered; its id follows from the delivery and the content, so that a receiver recognizes it. A
 * batch rejected because of its content counts as refused, and the next batches are sent. Status 200 with a refusal in
 * the body is uncertain.
 */
export const deliverToWebhook: Deliver<WebhookTarget> = async (target, rows, context) => {
  const { ledger, print } = context;
  const sender = newSender(target, context);
  const earlier = ledger.count("accepted");
  let requests = 0;
  const batches = splitIntoBatches(rows.batches, await batchSize(target, ledger));
  let stop: { readonly found: Sent; readonly now: number } | undefined;
  let unsentRows = 0;
  const newMissedNotice = ({ number, rows: all }: Batch, outcome: string, why: string): Notice =>
    warning("batch_missed", { target: target.name, batch: number, rows: all.length, outcome, why });
  const deliverOne = async (batch: Batch): Promise<void> => {
    if (!isWanted(ledger.getState(batch.first), context)) return;
    // Side by side, one may be taken just as another one has failed.
    if (stop !== undefined) return void (unsentRows += batch.rows.length);
    const span = [[batch.first, batch.first + batch.rows.length - 1]] as const;
    const isDoubtful = ledger.isDoubtful(batch.first);
    // A chat cannot see that it has a message already.
    if (sender.secret === undefined && isDoubtful && ledger.getState(batch.first) !== "uncertain")
      return ledger.record(span, "uncertain", interruptedSend);
    const body = writeBody(batch, rows.columns, target, context);
    await ledger.begin(span);
    const posted = await postBatch(sender, batch, body, context).catch(newInterruption);
    // To another try of a batch that perhaps arrived, some receivers answer only that its id is taken.
    const found = isDoubtful ? { ...posted, mayHaveActed: true } : posted;
    requests += 1;
    const refusal = findRefusalOf(found);
    if (refusal !== undefined) {
      await ledger.record(span, "uncertain", refusal);
      print(newMissedNotice(batch, "may not have arrived", refusal));
    } else if (isTaken(found)) {
      await ledger.record(span, "accepted");
      if (!batch.isLast)
        print(`${ledger.count("accepted")} rows delivered to ${target.name} so far`);
    } else if (isVerdict(found)) {
      const [state, why] = judgeBatch(found);
      await ledger.record(span, state, why);
      print(newMissedNotice(batch, state === "refused" ? "is refused" : "may have arrived", why));
    } else {
      if (!found.mayHaveActed) await ledger.cancel(span);
      if (stop === undefined) stop = { found, now: batch.rows.length };
      else unsentRows += batch.rows.length;
    }
  };
  const unlessStopped = readUntilStopped(batches, () => stop !== undefined);
  await runInParallel(unlessStopped, target.requests?.parallel ?? 1, deliverOne);
  if (stop !== undefined) {
    const after = unsentRows + (await countWantedBehind(batches, ledger, context));
    throw newFailure(target, stop.found, ledger, { now: stop.now, after });
  }
  return summarizeDelivery(target.name, ledger, earlier, requests);
};

// Rarely different from the configured one: that of a resumed delivery.
async function batchSize(
  { records_per_batch: size }: WebhookTarget,
  ledger: Ledger,
): Promise<number> {
  const kept = ledger.fact("batch_rows");
  if (kept !== undefined) return Number(kept);
  await ledger.setFact("batch_rows", String(size));
  return size;
}

async function countWantedBehind(
  batches: AsyncIterable<Batch>,
  ledger: Ledger,
  again: RetryOptions,
): Promise<number> {
  let count = 0;
  for await (const { first, rows } of batches)
    if (isWanted(ledger.getState(first), again)) count += rows.length;
  return count;
}

function summarizeDelivery(
  target: string,
  ledger: Ledger,
  earlier: number,
  requests: number,
): Delivery {
  const [accepted, refused] = [ledger.count("accepted"), ledger.count("refused")];
  const uncertain = ledger.count("uncertain");
  const isEmpty = requests + earlier + refused + uncertain === 0;
  const notes = [
    ...(isEmpty ? ["no rows, so nothing was sent"] : []),
    ...(earlier > 0 ? [`${formatRowCount(earlier)} of them were sent by an earlier attempt`] : []),
  ];
  const outcome = refused + uncertain === 0 ? "delivered" : "partial";
  return { target, accepted, refused, uncertain, outcome, notes };
}

// Takes no further batch once one has stopped the delivery, and leaves the rest to be counted.
async function* readUntilStopped(
  batches: AsyncGenerator<Batch>,
  isStopped: () => boolean,
): AsyncGenerator<Batch> {
  while (!isStopped()) {
    const next = await batches.next();
    if (next.done === true) return;
    yield next.value;
  }
}

// An interruption that is thrown came in a wait, before which no try was acted on.
function newInterruption(error: unknown): Sent {
  if (error instanceof AuditlakeError && error.exitCode === exitCode.interrupted)
    return { ...newUnsentExchange(error), mayHaveActed: false, tries: 0 };
  throw error;
}

function isTaken(found: Sent): boolean {
  return found.outcome === "answered" && found.answer.status >= 200 && found.answer.status < 300;
}

// Some receivers answer 200 to everything, so the body decides whether a batch was accepted.
function findRefusalOf(found: Sent): string | undefined {
  if (found.outcome !== "answered" || !isTaken(found)) return undefined;
  const sign = findRefusal(found.answer);
  return (
    sign &&
    `the receiver ${formatOutcome(found)}, but its answer has ${sign}, which indicates a refusal`
  );
}

// Statuses about the content of a request, not about its sender or address.
const verdicts: readonly number[] = [400, 413, 422];
// Status of some receivers for an id that they have already.
const takenAlready = 409;

function isVerdict(found: Sent): boolean {
  if (found.outcome !== "answered") return false;
  const { status } = found.answer;
  return verdicts.includes(status) || (found.mayHaveActed && status === takenAlready);
}

// Where an earlier try may have arrived, a verdict may be about its id and not about its rows.
function judgeBatch(found: Sent): [state: "refused" | "uncertain", why: string] {
  const why = `the receiver ${formatOutcome(found)}`;
  return found.mayHaveActed
    ? ["uncertain", `${why} to a retry, and an earlier attempt may have arrived`]
    : ["refused", why];
}

type Counts = { readonly now: number; readonly after: number };

function newFailure(
  target: { readonly name: string },
  found: Sent,
  ledger: Ledger,
  { now, after }: Counts,
): AuditlakeError {
  const isUncertain = found.mayHaveActed;
  const [accepted, refused] = [ledger.count("accepted"), ledger.count("refused")];
  const uncertain = isUncertain ? now : 0;
  const missing = refused + after + (isUncertain ? 0 : now);
  if (accepted + refused > 0 || isUncertain)
    return new DeliveryError(
      { target: target.name, accepted, uncertain, missing },
      formatOutcome(found),
    );
  const status = found.outcome === "answered" ? found.answer.status : undefined;
  const isRefused = status === 401 || status === 403;
  return new AuditlakeError(
    `delivery to ${target.name} failed: ${isRefused ? "the receiver refused it, " : ""}${formatOutcome(found)}; nothing was delivered; check url and secret of the target`,
    isRefused ? exitCode.refused : exitCode.failed,
  );
}
