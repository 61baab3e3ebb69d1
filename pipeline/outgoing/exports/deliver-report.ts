import { warning } from "../../base/notice/notice.ts";
import { buildQuestion, formatRange } from "../../base/report/params.ts";
import { AuditlakeError } from "../../base/errors.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { Column, Rows } from "../../base/rows/row.ts";
import { formatIdStamp } from "../../base/time/text.ts";
import type { World } from "../../base/world.ts";
import {
  countKept,
  isAnythingToDo,
  isElsewhere,
  formatLeft,
  refuseElsewhere,
  removeKept,
  sendKept,
} from "../deliveries/delivery.ts";
import { keepRows, readKeptRows, selectRows } from "../deliveries/stored-rows.ts";
import {
  findTarget,
  getOutbox,
  refuseSharedRecords,
  readTargetCredentials,
  withTarget,
} from "../deliveries/target.ts";
import { getDestination } from "../registry.ts";
import type { Delivery, NamedTarget } from "../targets/destination.ts";
import { DeliveryError } from "../targets/error.ts";
import { countStates, isWanted, openLedger, type RowCounts } from "../targets/ledger.ts";
import {
  describeDelivered,
  findEarlier,
  forgetStarted,
  getKeptFiles,
  describeNothingLeft,
  readStarted,
  removeUnneeded,
  resumeText,
  writeStarted,
  type StartedExport,
} from "./record.ts";
import { exportName, buildKey, withRows, type ExportOrder } from "./with-rows.ts";

/** An export under way: where it goes, and who hears of a delivery as soon as it has ended. */
type Run = {
  readonly order: ExportOrder;
  readonly target: NamedTarget;
  readonly outbox: string;
  readonly settings: Settings;
  readonly world: World;
  readonly onEnded: (ended: Delivery) => void;
};

/**
 * Runs a report and delivers its rows, mapped for the target. An interrupted delivery resumes with its own rows. After
 * every row was sent, refused or is uncertain, nothing more is sent. Calls `onEnded` after each delivery: one of an
 * earlier scheduled time, then this one. Throws what report and connector throw.
 */
export async function exportReport(
  order: ExportOrder,
  settings: Settings,
  world: World,
  onEnded: Run["onEnded"],
): Promise<void> {
  const target = findTarget(settings, order.to);
  refuseSharedRecords(settings, order.to);
  // What can be wrong without the database or the destination is found before anything is written.
  readTargetCredentials(target, settings, world);
  buildQuestion(order.report, order.given, world.now());
  return withTarget(settings.home, target.name, `export ${order.report.name}`, world, (outbox) =>
    deliverOnce({ order, target, outbox, settings, world, onEnded }),
  );
}

async function deliverOnce(run: Run): Promise<void> {
  const { outbox, order, target, onEnded } = run;
  const earlier = findEarlier(outbox, order);
  if (earlier?.isDone === true) return onEnded(describeDelivered(earlier, target.name));
  if (earlier !== undefined && isOfDue(earlier, order)) {
    await printEarlier(earlier, run);
    return onEnded(await resumeExport(earlier, run));
  }
  if (earlier !== undefined) await finishPrevious(earlier, run);
  else if (order.isNew) await printPrevious(run);
  onEnded(await resumeExport(await start(run), run, true));
}

// An order by hand always resumes the last one.
function isOfDue({ dueMs }: StartedExport, order: ExportOrder): boolean {
  return order.dueMs === undefined || order.dueMs === dueMs;
}

async function printEarlier(
  earlier: StartedExport,
  { outbox, order }: Pick<Run, "outbox" | "order">,
): Promise<void> {
  order.print(resumeText(earlier, await countLeft(earlier, outbox)));
  const { values } = buildQuestion(order.report, order.given, earlier.nowMs);
  for (const line of formatRange(values)) order.print(line);
}

async function countLeft(started: StartedExport, outbox: string): Promise<RowCounts | undefined> {
  return started.rows === undefined ? undefined : countKept(getKeptFiles(outbox, started));
}

async function start(run: Run): Promise<StartedExport> {
  const { target, outbox, order, world } = run;
  const nowMs = world.now();
  const name = exportName(order.report.name, buildQuestion(order.report, order.given, nowMs));
  // To send a message again is another delivery, even for the same range; a receiver that knows its id would reject it.
  const isNamedByTime = getDestination(target).isNewEachTime === true;
  const deliveryId = isNamedByTime ? `${name}-at-${formatIdStamp(nowMs)}` : name;
  await forgetStarted(outbox, buildKey(order));
  await removeUnneeded(outbox);
  return keep({ deliveryId, nowMs, isEnded: false, dueMs: order.dueMs }, run);
}

// Runs the report and keeps its rows: from then on the delivery is started.
async function keep(
  started: StartedExport,
  { target, outbox, order, settings, world }: Run,
): Promise<StartedExport> {
  const key = buildKey(order);
  // Several exports can have one name, for example a file and a report, so stored files include the key of their
  // record.
  const keptAs = `${started.deliveryId}.${key}`;
  await removeKept(outbox, (name) => name !== keptAs);
  const named = { ...started, keptAs };
  const asked = { ...order, target, nowMs: started.nowMs };
  const path = getKeptFiles(outbox, named).files.rows;
  const rows = await withRows(asked, settings, world, (found) => keepRows(found, path));
  await writeStarted(outbox, key, { ...named, rows });
  return { ...named, rows };
}

// Sends the pending rows, and deletes the delivery after a complete send, or if it `isFresh` and failed before anything
// was sent or refused.
async function resumeExport(started: StartedExport, run: Run, isFresh = false): Promise<Delivery> {
  const { target, outbox, order, settings, world } = run;
  const exported = started.rows === undefined ? await keep(started, run) : started;
  const [key, kept] = [buildKey(order), getKeptFiles(outbox, exported)];
  try {
    const sent = await sendKept(kept, target, order, settings, world);
    const delivery =
      sent.delivery ?? describeNothingLeft(target.name, countStates(sent.ledger, kept.rows));
    if (sent.delivery !== undefined) await recordEnd(delivery, exported, outbox, key);
    return { ...delivery, delivery: kept.deliveryId };
  } catch (error) {
    const isUnsent = error instanceof AuditlakeError && !(error instanceof DeliveryError);
    if (isFresh && isUnsent && (await countKept(kept)).refused === 0)
      await forgetStarted(outbox, key);
    throw error;
  } finally {
    await removeUnneeded(outbox);
  }
}

async function recordEnd(
  { outcome, accepted }: Delivery,
  exported: StartedExport,
  outbox: string,
  key: string,
): Promise<void> {
  const isDone = outcome === "delivered" || accepted === exported.rows;
  if (isDone && exported.dueMs === undefined) await forgetStarted(outbox, key);
  else await writeStarted(outbox, key, { ...exported, isEnded: true, isDone: isDone || undefined });
}

// Sends the remaining rows of an earlier scheduled time, and prints the rest.
async function finishPrevious(previous: StartedExport, run: Run): Promise<void> {
  const { outbox, order, onEnded } = run;
  const left = await countLeft(previous, outbox);
  const remainsElsewhere = left !== undefined && (await isStartedElsewhere(previous, run));
  if (!remainsElsewhere && (left === undefined || left.open > 0)) {
    order.print(resumeText(previous, undefined));
    const tries = { ...order, retryRefused: false, resendUncertain: false };
    const ended = await resumeExport(previous, { ...run, order: tries });
    onEnded(ended);
    // Nothing is stored of a complete delivery.
    if (ended.outcome === "delivered") return;
  }
  await printLeft(previous, run);
}

// What went out of it is where the target pointed then; the rest does not follow it elsewhere, and is reported.
async function isStartedElsewhere(
  previous: StartedExport,
  { target, outbox }: Run,
): Promise<boolean> {
  await using ledger = await openLedger(getKeptFiles(outbox, previous).files.ledger);
  return isElsewhere(target, ledger);
}

// Prints the remaining rows of the recorded delivery before another one replaces it.
async function printPrevious(run: Run): Promise<void> {
  try {
    const previous = readStarted(run.outbox, buildKey(run.order));
    if (previous !== undefined && previous.isDone !== true) await printLeft(previous, run);
  } catch {
    // A damaged record is what --new is for.
  }
}

async function printLeft(
  previous: StartedExport,
  { outbox, order: { print, report, to } }: Run,
): Promise<void> {
  const left = await countLeft(previous, outbox).catch(() => undefined);
  if (left === undefined || left.open + left.refused + left.uncertain === 0) return;
  const started = new Date(previous.nowMs).toISOString();
  const facts = { report: report.name, target: to, started, left: formatLeft(left) };
  print(warning("delivery_replaced", facts));
}

export type ExportPlan = {
  readonly text: string;
  readonly columns: readonly Column[];
};

/** Checks configuration, credentials and columns and counts the rows; sends nothing and writes nothing. */
export async function planExport(
  order: ExportOrder,
  settings: Settings,
  world: World,
): Promise<ExportPlan> {
  const target = findTarget(settings, order.to);
  refuseSharedRecords(settings, order.to);
  readTargetCredentials(target, settings, world);
  const outbox = getOutbox(settings.home, target.name);
  const earlier = findEarlier(outbox, order);
  if (earlier?.isDone === true) return { text: "nothing: already delivered", columns: [] };
  const isKept = earlier !== undefined && isOfDue(earlier, order);
  if (isKept) await printEarlier(earlier, { outbox, order });
  const planRows = async (rows: Rows): Promise<ExportPlan> => {
    const text = await getDestination(target).preview(target, rows, order.print);
    return { text, columns: rows.columns };
  };
  if (isKept && earlier.rows !== undefined) {
    const { files, rows } = getKeptFiles(outbox, earlier);
    await using ledger = await openLedger(files.ledger);
    refuseElsewhere(target, ledger);
    const left = countStates(ledger, rows);
    if (!isAnythingToDo(left, order))
      return { text: `nothing more: ${formatLeft(left)}`, columns: [] };
    const kept = await readKeptRows(files.rows);
    return await planRows(selectRows(kept, (number) => isWanted(ledger.getState(number), order)));
  }
  const nowMs = isKept ? earlier.nowMs : world.now();
  return withRows({ ...order, target, nowMs }, settings, world, planRows);
}
