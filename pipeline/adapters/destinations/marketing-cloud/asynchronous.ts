import { warning } from "../../../base/notice/notice.ts";
import { explainAnswer, note, type OpenRequests, type Sending, formatSoFar } from "./tally.ts";
import {
  acceptedRows,
  requestResults,
  requestState,
} from "../../../../schemas/connectors/marketing-cloud-answers.ts";
import { AuditlakeError } from "../../../base/errors.ts";
import { checkInterrupted, pauseFor, type Sent } from "../../../base/http/transport.ts";
import type { DeliveryContext } from "../../../outgoing/targets/destination.ts";
import { formatRowCount } from "../../../outgoing/targets/error.ts";
import { type Ledger, toSpans } from "../../../outgoing/targets/ledger.ts";
import { readErrorMessage, parseAs } from "./answer.ts";
import { type Batching, splitIntoBatches } from "./batch.ts";
import { type Layout, toValues } from "./layout.ts";
import { getAnswer, type Session } from "./session.ts";
import type { z } from "zod";
import { escapeControls } from "../../../base/printable.ts";

export function newAsynchronousWriter(layout: Layout): Batching["write"] {
  const all = [...layout.keys, ...layout.others];
  return (row) => JSON.stringify(toValues(row, all));
}

type Request = {
  readonly id: string;
  /** Numbers of its rows in the delivery. */
  readonly numbers: readonly number[];
  readonly what: string;
};

/**
 * Sends the rows in batches of records_per_batch and waits until each is carried out. All are sent as upserts (PUT),
 * after a replace too. It writes the same rows, and unlike an insert (POST) it may be sent again where an answer was
 * lost. Throws AuditlakeError where a batch was not taken; those before it are waited for first.
 */
export async function sendAsynchronously(sending: Sending, open: OpenRequests): Promise<void> {
  const { target, key, supply, batching, tally, session, context } = sending;
  const path = `/data/v1/async/dataextensions/key:${encodeURIComponent(key)}/rows`;
  const requests: Request[] = [];
  const send = async (): Promise<void> => {
    const limits = { maxRows: target.records_per_batch, maxBytes: Number.MAX_SAFE_INTEGER };
    for await (const { items, numbers } of splitIntoBatches(supply, { ...batching, ...limits })) {
      checkInterrupted(context.world);
      const what = `batch ${requests.length + 1} (${formatRowCount(items.length)})`;
      const body = `{"items":[${items.join(",")}]}`;
      await open.begin();
      const found = await session.rest("PUT", path, {}, body, "harmless");
      const meaning = explainAnswer(found, what);
      if (meaning.kind === "taken") {
        tally.uncertain += items.length;
        const id = parseAs(acceptedRows, meaning.text, what).requestId;
        requests.push({ id, numbers, what });
        await open.name(id, found.mayHaveActed);
        continue;
      }
      if (meaning.isUncertain) tally.uncertain += items.length;
      else await open.name();
      throw new AuditlakeError(`${meaning.why}${adviseEnabling(found)}`, meaning.code);
    }
  };
  try {
    await send();
  } catch (error) {
    // What was handed over before counts nevertheless; the first error is the one to report.
    await finishAll(sending, requests, open).catch(() => undefined);
    throw error;
  }
  await finishAll(sending, requests, open);
}

// Seed 002, Limits: whether an account may insert asynchronously is its own setting.
function adviseEnabling(found: Sent): string {
  const isRefused = found.outcome === "answered" && found.answer.status === 403;
  return isRefused ? " and that the account is enabled for asynchronous insertion" : "";
}

async function finishAll(
  { target: { name }, tally, ledger, session, context }: Sending,
  requests: readonly Request[],
  open: OpenRequests,
): Promise<void> {
  for (const { id, numbers, what } of requests) {
    const rows = numbers.length;
    const { refused, why, positions } = await awaitRequest(id, rows, session, context);
    await recordRows(ledger, numbers, refused === 0 ? [] : positions, `${what} refused${why}`);
    tally.uncertain -= rows;
    tally.accepted += rows - refused;
    tally.refused += refused;
    if (refused > 0) note(tally, `${what}: ${formatRowCount(refused)} refused${why}`);
    await open.remove(id);
    if (requests.length > 1) context.print(formatSoFar(name, tally));
  }
}

// If it is unknown which of the rows were refused, all of them count as refused: sending one again does no harm.
async function recordRows(
  ledger: Ledger,
  numbers: readonly number[],
  positions: readonly number[] | undefined,
  why: string,
): Promise<void> {
  const refused = new Set(positions ?? numbers.keys());
  const selectNumbers = (isRefused: boolean): number[] =>
    numbers.filter((_, at) => refused.has(at) === isRefused);
  await ledger.record(toSpans(selectNumbers(false)), "accepted");
  await ledger.record(toSpans(selectNumbers(true)), "refused", why);
}

/** Waits for requests that an earlier delivery left behind. */
export async function awaitEarlier(
  target: string,
  open: OpenRequests,
  session: Session,
  context: DeliveryContext,
): Promise<void> {
  if (open.hasUnnamed()) {
    context.print(warning("batch_unanswered", { target }));
    await open.name();
  }
  for (const id of open.list()) {
    context.print(`waiting for request ${id} of an earlier delivery`);
    await awaitRequest(id, 0, session, context);
    await open.remove(id);
  }
}

/** The outcome of a request that has been carried out. */
type FinishedRequest = {
  readonly refused: number;
  /** The codes of the errors, as they follow a count. */
  readonly why: string;
  /** Positions of the refused rows in the request, from 0; undefined if unknown. */
  readonly positions: readonly number[] | undefined;
};

const firstDelayMs = 1000;
const longestDelayMs = 30_000;
const patienceMs = 3_600_000;
// A new request can be unknown to parts of the service for a while.
const unknownAllowed = 5;
const pageSize = 50;

/**
 * Waits until a request of `rows` rows is carried out, and counts the rows it refused. Throws AuditlakeError if that
 * takes longer than an hour, or the request is unknown.
 */
export async function awaitRequest(
  id: string,
  rows: number,
  session: Session,
  { world }: DeliveryContext,
): Promise<FinishedRequest> {
  const path = `/data/v1/async/${encodeURIComponent(id)}`;
  const what = `request ${escapeControls(id)}`;
  let unknown = 0;
  for (
    let waitedMs = 0, delayMs = firstDelayMs;
    ;
    delayMs = Math.min(longestDelayMs, delayMs * 2)
  ) {
    const found = await session.rest("GET", `${path}/status`, {}, undefined, "harmless");
    const { text } = getAnswer(found, `the status of ${what}`, readErrorMessage);
    const { status } = parseAs(requestState, text, what);
    if (status === undefined && (unknown += 1) > unknownAllowed) return newForgotten(what, rows);
    if (status?.requestStatus === "Complete" && status.hasErrors === false)
      return { refused: 0, why: "", positions: [] };
    if (status?.requestStatus === "Complete" || status?.requestStatus === "Error")
      return readFinished(await readResults(path, what, session), status, rows);
    if (waitedMs >= patienceMs)
      throw new AuditlakeError(`${what} did not finish within ${patienceMs / 60_000} minutes`);
    await pauseFor(delayMs, world);
    waitedMs += delayMs;
  }
}

type Status = NonNullable<z.infer<typeof requestState>["status"]>;

// If each row has a result, results are in row order. Otherwise a row without a successful result counts as refused.
function readFinished(
  { taken, failed, codes }: Results,
  { requestStatus, hasErrors }: Status,
  rows: number,
): FinishedRequest {
  const why = codes.size === 0 ? "" : ` (error ${[...codes].join(", ")})`;
  const listed = taken + failed.length;
  if (listed === rows) return { refused: failed.length, why, positions: failed };
  const isBare = listed === 0 && requestStatus === "Complete" && hasErrors === undefined;
  if (isBare) return { refused: 0, why, positions: [] };
  return { refused: listed > rows ? rows : rows - taken, why, positions: undefined };
}

// Of an earlier delivery's request nothing hangs on that any more.
function newForgotten(what: string, rows: number): FinishedRequest {
  if (rows === 0) return { refused: 0, why: "", positions: [] };
  throw new AuditlakeError(`the account no longer knows ${what}`);
}

type Results = { taken: number; readonly failed: number[]; readonly codes: Set<string> };

async function readResults(path: string, what: string, session: Session): Promise<Results> {
  const results: Results = { taken: 0, failed: [], codes: new Set() };
  for (let page = 1, seen = 0; ; page++) {
    const parameters = { page: String(page) };
    const found = await session.rest("GET", `${path}/results`, parameters, undefined, "harmless");
    const { text } = getAnswer(found, `the results of ${what}`, readErrorMessage);
    const { count, items } = parseAs(requestResults, text, what);
    for (const { status, errorCode } of items)
      if (status.toUpperCase() === "OK") results.taken += 1;
      else {
        results.failed.push(results.taken + results.failed.length);
        if (results.codes.size < 5)
          results.codes.add(escapeControls(String(errorCode ?? "unknown")));
      }
    seen += items.length;
    if (items.length < pageSize && (items.length === 0 || seen >= count)) return results;
    if (seen >= count) return results;
  }
}
