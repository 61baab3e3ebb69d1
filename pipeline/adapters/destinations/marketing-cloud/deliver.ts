import { warning } from "../../../base/notice/notice.ts";
import { type Print } from "../../../base/notice/printer.ts";
import type { MarketingCloud } from "../../../../schemas/connectors/marketing-cloud.ts";
import { AuditlakeError, exitCode, UsageError } from "../../../base/errors.ts";
import type {
  Deliver,
  Delivery,
  DeliveryContext,
  WithName,
} from "../../../outgoing/targets/destination.ts";
import {
  DeliveryError,
  describeProgress,
  RecordError,
  formatRowCount,
} from "../../../outgoing/targets/error.ts";
import { isWanted, type Ledger } from "../../../outgoing/targets/ledger.ts";
import type { Row, Rows } from "../../../base/rows/row.ts";
import { newTally, note, type Tally, openRequests } from "./tally.ts";
import { newAsynchronousWriter, awaitEarlier, sendAsynchronously } from "./asynchronous.ts";
import { type Batching, type Supply, newSupply } from "./batch.ts";
import { prepareExtension } from "./extension.ts";
import { checkColumns, type Layout, planLayout, RowError, toValues } from "./layout.ts";
import { getAnswer, openSession, type Session } from "./session.ts";
import { sendSynchronously, newSynchronousWriter } from "./synchronous.ts";
import { newSoapError, readSoapDetail } from "./folders.ts";
import { type Node, readAnswer } from "./soap.ts";
import { createHash } from "node:crypto";

/**
 * Delivers rows into a data extension, as an upsert or after clearing it (seed 002, What the service does, rule 1).
 * Everything that can be known beforehand is checked before the first change.
 */
export const deliverToMarketingCloud: Deliver<MarketingCloud> = async (target, rows, context) => {
  checkColumns(target, rows.columns);
  const isReplacing = target.data_operation === "replace";
  const { ledger } = context;
  const isClearing = isReplacing && ledger.fact("cleared") === undefined;
  if (isClearing) agreeToClear(target, context);
  const session = openSession(target, context);
  const extension = await prepareExtension(target, rows.columns, session, context);
  const layout = planLayout(target, extension, rows.columns);
  const leavesOut = isReplacing || context.leavesOut === true;
  const write = target.async ? newAsynchronousWriter(layout) : newSynchronousWriter(layout);
  const isRowWanted = (number: number): boolean => isWanted(ledger.getState(number), context);
  const hasDoubles = await checkRows(
    rows,
    layout,
    leavesOut ? undefined : write,
    isRowWanted,
    context.print,
  );
  const open = openRequests(context.outbox);
  await awaitEarlier(target.name, open, session, context);
  const tally = newDeliveryTally(ledger, context);
  // Of equal keys the last row stays, so their order counts.
  const parallel = hasDoubles ? 1 : (target.requests?.parallel ?? 1);
  const supply = newSupply(rows, isRowWanted);
  // Seed 002, A, Data operations, rule 3: a replace leaves invalid records out.
  const leaveOutRow = async (number: number, why: string): Promise<void> => {
    await ledger.record([[number, number]], "refused", why);
    tally.refused += 1;
    note(tally, `row ${number} is not a valid record and was skipped: ${why}`);
  };
  const batching: Pick<Batching, "write" | "leaveOut"> = {
    write,
    leaveOut: leavesOut ? leaveOutRow : undefined,
  };
  try {
    if (isClearing) await clearRows(extension.key, tally, session);
    if (isClearing) await ledger.setFact("cleared", "yes");
    const { key } = extension;
    const sending = { target, key, supply, batching, tally, ledger, session, context };
    await (target.async ? sendAsynchronously(sending, open) : sendSynchronously(sending, parallel));
  } catch (error) {
    throw await describeStop(error, target, supply, tally);
  }
  return toDelivery(target, rows, tally);
};

// Counts of an earlier attempt, without rows that are retried now.
function newDeliveryTally(
  ledger: Ledger,
  { retryRefused, resendUncertain }: DeliveryContext,
): Tally {
  const tally = newTally();
  tally.accepted = ledger.count("accepted");
  if (retryRefused !== true) tally.refused = ledger.count("refused");
  if (resendUncertain !== true) tally.uncertain = ledger.count("uncertain");
  return tally;
}

function agreeToClear({ name, de_name }: WithName<MarketingCloud>, context: DeliveryContext): void {
  const what = `replace CLEARS ALL ROWS of data extension ${JSON.stringify(de_name)} first; this CANNOT BE UNDONE, even if the delivery then fails`;
  if (!context.confirmed) throw new UsageError(`target ${name}: ${what}; confirm with --yes`);
  context.print(warning("rows_cleared", { target: name, what }));
}

const clearedText = {
  no: "",
  perhaps: "; the previous rows may have been cleared",
  yes: "; the previous rows were cleared",
} satisfies Record<Tally["cleared"], string>;

async function describeStop(
  error: unknown,
  target: WithName<MarketingCloud>,
  supply: Supply,
  tally: Tally,
): Promise<unknown> {
  if (!(error instanceof AuditlakeError) || error instanceof RecordError) return error;
  const { accepted, uncertain, cleared } = tally;
  const total = supply.taken() + (await supply.rest());
  const progress = {
    target: target.name,
    accepted,
    uncertain,
    missing: total - accepted - uncertain,
  };
  const why = error.message + clearedText[cleared];
  if (error.exitCode === exitCode.interrupted)
    return new DeliveryError(progress, why, exitCode.interrupted);
  if (accepted > 0 || uncertain > 0 || cleared !== "no") return new DeliveryError(progress, why);
  return new AuditlakeError(
    `delivery to ${target.name} stopped: ${why}; ${describeProgress(progress)}`,
    error.exitCode,
  );
}

function toDelivery(
  target: WithName<MarketingCloud>,
  rows: Rows,
  { accepted, refused, uncertain, notes, unlisted }: Tally,
): Delivery {
  const all = [...notes];
  if (unlisted > 0) all.push(`and ${unlisted} more of this kind`);
  if (rows.columns.some(({ kind }) => kind === "time"))
    all.push(
      "times were sent in UTC; the account shows them in its own time zone, which cannot be changed",
    );
  if (refused > 0 && accepted + uncertain === 0)
    all.push(`none of ${formatRowCount(refused)} arrived`);
  return {
    target: target.name,
    accepted,
    refused,
    ...(uncertain > 0 ? { uncertain } : {}),
    outcome: refused + uncertain === 0 ? "delivered" : "partial",
    notes: all,
  };
}

/**
 * Clears all rows of a data extension, which cannot be undone (seed 002, A, Data operations, rule 2). Throws
 * AuditlakeError where the account refuses, and notes on the account whether they are cleared. It needs an account and
 * a package with further rights (rule 6).
 */
async function clearRows(key: string, tally: Tally, session: Session): Promise<void> {
  const what =
    "clearing the data extension (it needs an Enterprise 2.0 account and a package with admin rights)";
  const definition: Node = ["Definition", [["CustomerKey", key]], "DataExtension"];
  const message: Node = [
    "PerformRequestMsg",
    [
      ["Action", "ClearData"],
      ["Definitions", [definition]],
    ],
  ];
  // Clearing twice is clearing once, as long as no row has been written yet.
  const found = await session.soap("Perform", message, "harmless");
  if (found.mayHaveActed) tally.cleared = "perhaps";
  const answer = readAnswer(getAnswer(found, what, readSoapDetail).text, what);
  if (answer.status !== "OK") throw newSoapError(what, answer);
  tally.cleared = "yes";
}

const named = 5;

/**
 * Checks all rows before the first is sent, if they can be read twice. Throws AuditlakeError at a row that does not fit
 * its fields (seed 002, Errors, rule 3), unless such rows are skipped. Prints rows with a duplicate primary key, of
 * which only the last stays. Resolves to whether such rows exist, or can exist.
 */
export async function checkRows(
  { again }: Rows,
  layout: Layout,
  write: ((row: Row) => string) | undefined,
  isWanted: (number: number) => boolean,
  print: Print,
): Promise<boolean> {
  if (again === undefined) return true;
  const seen = new Set<string>();
  const doubled: number[] = [];
  const supply = newSupply(await again(), isWanted);
  for (let found = await supply.next(); found !== undefined; found = await supply.next()) {
    const key = readKey(found.row, found.number, layout, write);
    if (key === undefined) continue;
    if (seen.has(key)) doubled.push(found.number);
    else seen.add(key);
  }
  if (doubled.length === 0) return false;
  const rows = doubled.slice(0, named).join(", ") + (doubled.length > named ? ", …" : "");
  print(warning("keys_repeated", { rows: doubled.length, such_as: rows }));
  return true;
}

// A digest of the key, since a million of them lie in memory.
function readKey(
  row: Row,
  number: number,
  { keys }: Layout,
  write: ((row: Row) => string) | undefined,
): string | undefined {
  try {
    write?.(row);
    const text = JSON.stringify(toValues(row, keys));
    return createHash("sha256").update(text).digest("base64").slice(0, 22);
  } catch (error) {
    if (!(error instanceof RowError)) throw error;
    if (write === undefined) return undefined;
    throw new AuditlakeError(
      `row ${number} is not a valid record: ${error.message}; nothing was sent`,
    );
  }
}
