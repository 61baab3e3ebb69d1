import type { MarketingCloud } from "../../../../schemas/connectors/marketing-cloud.ts";
import { AuditlakeError, exitCode, UsageError } from "../../../base/errors.ts";
import type {
  Deliver,
  Delivery,
  DeliveryContext,
  WithName,
} from "../../../work/targets/destination.ts";
import {
  DeliveryError,
  RecordError,
  rowCount,
  describeProgress,
} from "../../../work/targets/error.ts";
import { isWanted, type Ledger } from "../../../work/targets/ledger.ts";
import type { Rows } from "../../../base/rows/row.ts";
import { newTally, note, type Tally } from "./tally.ts";
import { asynchronousWriter, awaitEarlier, sendAsynchronously } from "./asynchronous.ts";
import type { Batching } from "./batch.ts";
import { checkRows } from "./check.ts";
import { clearRows } from "./clear.ts";
import { prepareExtension } from "./extension.ts";
import { checkColumns, layoutOf } from "./layout.ts";
import { openRequests } from "./requests.ts";
import { openSession } from "./session.ts";
import { supplyOf, type Supply } from "./supply.ts";
import { sendSynchronously, synchronousWriter } from "./synchronous.ts";

/**
 * Delivers rows into a data extension, as an upsert or after clearing it (seed 002, What the service does, rule 1).
 * Everything that can be known beforehand is checked before the first change.
 */
export const deliverToMarketingCloud: Deliver<MarketingCloud> = async (target, rows, context) => {
  checkColumns(target, rows.columns);
  const replaces = target.data_operation === "replace";
  const { ledger } = context;
  const clears = replaces && ledger.fact("cleared") === undefined;
  if (clears) agreeToClear(target, context);
  const session = openSession(target, context);
  const extension = await prepareExtension(target, rows.columns, session, context);
  const layout = layoutOf(target, extension, rows.columns);
  const leavesOut = replaces || context.leavesOut === true;
  const write = target.async ? asynchronousWriter(layout) : synchronousWriter(layout);
  const wanted = (number: number): boolean => isWanted(ledger.stateOf(number), context);
  const hasDoubles = await checkRows(
    rows,
    layout,
    leavesOut ? undefined : write,
    wanted,
    context.print,
  );
  const open = openRequests(context.outbox);
  await awaitEarlier(open, session, context);
  const tally = tallyOf(ledger, context);
  // Of equal keys the last row stays, so their order counts.
  const parallel = hasDoubles ? 1 : (target.requests?.parallel ?? 1);
  const supply = supplyOf(rows, wanted);
  // Seed 002, A, Data operations, rule 3: a replace leaves invalid records out.
  const leaveOut = async (number: number, why: string): Promise<void> => {
    await ledger.record([[number, number]], "refused", why);
    tally.refused += 1;
    note(tally, `row ${number} is no valid record and was left out: ${why}`);
  };
  const batching: Pick<Batching, "write" | "leaveOut"> = {
    write,
    leaveOut: leavesOut ? leaveOut : undefined,
  };
  try {
    if (clears) await clearRows(extension.key, tally, session);
    if (clears) await ledger.setFact("cleared", "yes");
    const { key } = extension;
    const sending = { target, key, supply, batching, tally, ledger, session, context };
    await (target.async ? sendAsynchronously(sending, open) : sendSynchronously(sending, parallel));
  } catch (error) {
    throw await stopped(error, target, supply, tally);
  }
  return deliveryOf(target, rows, tally);
};

// What an earlier attempt recorded, without what is tried again now.
function tallyOf(ledger: Ledger, { retryRefused, resendUncertain }: DeliveryContext): Tally {
  const tally = newTally();
  tally.accepted = ledger.count("accepted");
  if (retryRefused !== true) tally.refused = ledger.count("refused");
  if (resendUncertain !== true) tally.uncertain = ledger.count("uncertain");
  return tally;
}

function agreeToClear({ name, de_name }: WithName<MarketingCloud>, context: DeliveryContext): void {
  const what = `replace CLEARS ALL ROWS of data extension ${JSON.stringify(de_name)} first; this CANNOT BE UNDONE, whether the delivery then succeeds or fails`;
  if (!context.confirmed) throw new UsageError(`target ${name}: ${what}; agree with --yes`);
  context.print(`warning: target ${name}: ${what}`);
}

const clearedText = {
  no: "",
  perhaps: "; the rows it had before are perhaps cleared",
  yes: "; the rows it had before are cleared",
} satisfies Record<Tally["cleared"], string>;

async function stopped(
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

function deliveryOf(
  target: WithName<MarketingCloud>,
  rows: Rows,
  { accepted, refused, uncertain, notes, unlisted }: Tally,
): Delivery {
  const all = [...notes];
  if (unlisted > 0) all.push(`and ${unlisted} more of this kind`);
  if (rows.columns.some(({ kind }) => kind === "time"))
    all.push(
      "times went out in UTC; the account shows them in its own time zone, for which there is no setting",
    );
  if (refused > 0 && accepted + uncertain === 0) all.push(`none of ${rowCount(refused)} arrived`);
  return {
    target: target.name,
    accepted,
    refused,
    ...(uncertain > 0 ? { uncertain } : {}),
    outcome: refused + uncertain === 0 ? "delivered" : "partial",
    notes: all,
  };
}
