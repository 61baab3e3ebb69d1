import type { Sending } from "./sending.ts";
import { acceptedRows } from "../../../../schemas/connectors/marketing-cloud-answers.ts";
import { AuditlakeError } from "../../../base/errors.ts";
import { checkInterrupted, type Sent } from "../../../base/http/transport.ts";
import type { DeliveryContext } from "../../../work/targets/destination.ts";
import { rowCount } from "../../../work/targets/error.ts";
import { spansOf, type Ledger } from "../../../work/targets/ledger.ts";
import { meaningOf, note, soFar } from "./tally.ts";
import { parsedAs } from "./answer.ts";
import { splitIntoBatches, type Batching } from "./batch.ts";
import { valuesOf, type Layout } from "./layout.ts";
import { awaitRequest } from "./polling.ts";
import type { OpenRequests } from "./requests.ts";
import type { Session } from "./session.ts";

/** Writes one row of an asynchronous call. */
export function asynchronousWriter(layout: Layout): Batching["write"] {
  const all = [...layout.keys, ...layout.others];
  return (row) => JSON.stringify(valuesOf(row, all));
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
      const what = `batch ${requests.length + 1} (${rowCount(items.length)})`;
      const body = `{"items":[${items.join(",")}]}`;
      await open.begin();
      const found = await session.rest("PUT", path, {}, body, "harmless");
      const meaning = meaningOf(found, what);
      if (meaning.kind === "taken") {
        tally.uncertain += items.length;
        const id = parsedAs(acceptedRows, meaning.text, what).requestId;
        requests.push({ id, numbers, what });
        await open.name(id, found.mayHaveActed);
        continue;
      }
      if (meaning.isUncertain) tally.uncertain += items.length;
      else await open.name();
      throw new AuditlakeError(`${meaning.why}${enabledHint(found)}`, meaning.code);
    }
  };
  try {
    await send();
  } catch (error) {
    // What was handed over before counts all the same; the first error is the one to tell.
    await finishAll(sending, requests, open).catch(() => undefined);
    throw error;
  }
  await finishAll(sending, requests, open);
}

// Seed 002, Limits: whether an account may insert asynchronously is its own setting.
function enabledHint(found: Sent): string {
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
    if (refused > 0) note(tally, `${what}: ${rowCount(refused)} refused${why}`);
    await open.remove(id);
    if (requests.length > 1) context.print(soFar(name, tally));
  }
}

// Where nobody tells which of the rows were refused, all of them count as such: to send one again does no harm.
async function recordRows(
  ledger: Ledger,
  numbers: readonly number[],
  positions: readonly number[] | undefined,
  why: string,
): Promise<void> {
  const refused = new Set(positions ?? numbers.keys());
  const those = (isRefused: boolean): number[] =>
    numbers.filter((_, at) => refused.has(at) === isRefused);
  await ledger.record(spansOf(those(false)), "accepted");
  await ledger.record(spansOf(those(true)), "refused", why);
}

/** Waits for requests that an earlier delivery left behind. */
export async function awaitEarlier(
  open: OpenRequests,
  session: Session,
  context: DeliveryContext,
): Promise<void> {
  if (open.hasUnnamed()) {
    context.print(
      "warning: an earlier delivery handed a batch over and the answer was lost; if that batch is carried out after this delivery, its rows come back: look at the data extension later",
    );
    await open.name();
  }
  for (const id of open.list()) {
    context.print(`waiting for request ${id} of an earlier delivery`);
    await awaitRequest(id, 0, session, context);
    await open.remove(id);
  }
}
