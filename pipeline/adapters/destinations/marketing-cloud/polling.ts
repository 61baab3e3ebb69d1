import type { z } from "zod";
import {
  requestResults,
  requestState,
} from "../../../../schemas/connectors/marketing-cloud-answers.ts";
import { AuditlakeError } from "../../../base/errors.ts";
import { pause } from "../../../base/http/transport.ts";
import { printable } from "../../../base/printable.ts";
import type { DeliveryContext } from "../../../work/targets/destination.ts";
import { errorMessageIn, parsedAs } from "./answer.ts";
import { answerOf, type Session } from "./session.ts";

/** What became of a request that has been carried out. */
export type Finished = {
  readonly refused: number;
  /** The codes of the errors, as they follow a count. */
  readonly why: string;
  /** Places of the refused rows in the request, from 0; undefined where nobody tells. */
  readonly positions: readonly number[] | undefined;
};

const firstDelayMs = 1000;
const longestDelayMs = 30_000;
const patienceMs = 3_600_000;
// A request may be asked for before every part of the service has heard of it.
const unknownAllowed = 5;
const pageSize = 50;

/**
 * Waits until a request of `rows` rows is carried out, and counts the rows it refused. Throws AuditlakeError where
 * that takes longer than an hour, or nobody knows the request.
 */
export async function awaitRequest(
  id: string,
  rows: number,
  session: Session,
  { world }: DeliveryContext,
): Promise<Finished> {
  const path = `/data/v1/async/${encodeURIComponent(id)}`;
  const what = `request ${printable(id)}`;
  let unknown = 0;
  for (
    let waitedMs = 0, delayMs = firstDelayMs;
    ;
    delayMs = Math.min(longestDelayMs, delayMs * 2)
  ) {
    const found = await session.rest("GET", `${path}/status`, {}, undefined, "harmless");
    const { text } = answerOf(found, `the status of ${what}`, errorMessageIn);
    const { status } = parsedAs(requestState, text, what);
    if (status === undefined && (unknown += 1) > unknownAllowed) return forgotten(what, rows);
    if (status?.requestStatus === "Complete" && status.hasErrors === false)
      return { refused: 0, why: "", positions: [] };
    if (status?.requestStatus === "Complete" || status?.requestStatus === "Error")
      return finishedBy(await readResults(path, what, session), status, rows);
    if (waitedMs >= patienceMs)
      throw new AuditlakeError(`${what} is not carried out after ${patienceMs / 60_000} minutes`);
    await pause(delayMs, world);
    waitedMs += delayMs;
  }
}

type Status = NonNullable<z.infer<typeof requestState>["status"]>;

// Results are those of the rows, in their order, where there is one for each. Where there is not, a row of which no
// result says that it was taken counts as refused.
function finishedBy(
  { taken, failed, codes }: Results,
  { requestStatus, hasErrors }: Status,
  rows: number,
): Finished {
  const why = codes.size === 0 ? "" : ` (error ${[...codes].join(", ")})`;
  const listed = taken + failed.length;
  if (listed === rows) return { refused: failed.length, why, positions: failed };
  const isBare = listed === 0 && requestStatus === "Complete" && hasErrors === undefined;
  if (isBare) return { refused: 0, why, positions: [] };
  return { refused: listed > rows ? rows : rows - taken, why, positions: undefined };
}

// Of an earlier delivery's request nothing hangs on that any more.
function forgotten(what: string, rows: number): Finished {
  if (rows === 0) return { refused: 0, why: "", positions: [] };
  throw new AuditlakeError(`${what} is not known to the account any more`);
}

type Results = { taken: number; readonly failed: number[]; readonly codes: Set<string> };

async function readResults(path: string, what: string, session: Session): Promise<Results> {
  const results: Results = { taken: 0, failed: [], codes: new Set() };
  for (let page = 1, seen = 0; ; page++) {
    const parameters = { page: String(page) };
    const found = await session.rest("GET", `${path}/results`, parameters, undefined, "harmless");
    const { text } = answerOf(found, `the results of ${what}`, errorMessageIn);
    const { count, items } = parsedAs(requestResults, text, what);
    for (const { status, errorCode } of items)
      if (status.toUpperCase() === "OK") results.taken += 1;
      else {
        results.failed.push(results.taken + results.failed.length);
        if (results.codes.size < 5) results.codes.add(printable(String(errorCode ?? "unknown")));
      }
    seen += items.length;
    if (items.length < pageSize && (items.length === 0 || seen >= count)) return results;
    if (seen >= count) return results;
  }
}
