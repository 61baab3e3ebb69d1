import { readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { AuditlakeError, isCode, UsageError } from "../../base/errors.ts";
import { syncFolder, writeDurably } from "../../base/home/durable.ts";
import { listFiles, formatLeft, removeKept, type KeptDelivery } from "../deliveries/delivery.ts";
import type { Delivery } from "../targets/destination.ts";
import type { RowCounts } from "../targets/ledger.ts";
import { buildKey, type ExportOrder } from "./with-rows.ts";

const record = z.object({
  delivery: z.string(),
  kept: z.string().optional(),
  now_ms: z.int(),
  ended: z.boolean(),
  rows: z.int().optional(),
  due_ms: z.int().optional(),
  done: z.boolean().optional(),
});

export type StartedExport = {
  readonly deliveryId: string;
  /** Name of its files, which no other has; undefined where an earlier version named them by the delivery. */
  readonly keptAs?: string | undefined;
  /** The moment that its relative times count from. */
  readonly nowMs: number;
  /** Whether it ended, though with rows that are refused or uncertain. */
  readonly isEnded: boolean;
  /** Number of stored rows; undefined for earlier versions, which stored none. */
  readonly rows?: number | undefined;
  /** When it was scheduled; undefined if started by hand. */
  readonly dueMs?: number | undefined;
  /** Whether everything was sent; recorded for a scheduled export, so that it is not made up for again. */
  readonly isDone?: boolean | undefined;
};

/** The export of this key that is on record; undefined where all rows of the last one were sent by hand. */
export function readStarted(outbox: string, key: string): StartedExport | undefined {
  const path = recordPath(outbox, key);
  try {
    const found = record.parse(JSON.parse(readFileSync(path, "utf8")));
    const { delivery: deliveryId, kept: keptAs, ended: isEnded, rows, done: isDone } = found;
    return { deliveryId, keptAs, nowMs: found.now_ms, dueMs: found.due_ms, isEnded, rows, isDone };
  } catch (error) {
    if (isCode(error, "ENOENT")) return undefined;
    throw new AuditlakeError(
      `${path} is damaged, so the unfinished delivery is unknown; nothing was sent; use --new to start another`,
    );
  }
}

export async function writeStarted(
  outbox: string,
  key: string,
  { deliveryId, keptAs, nowMs, isEnded, rows, dueMs, isDone }: StartedExport,
): Promise<void> {
  const times = { now_ms: nowMs, due_ms: dueMs };
  const written: z.infer<typeof record> = {
    delivery: deliveryId,
    kept: keptAs,
    ...times,
    ended: isEnded,
    rows,
    done: isDone,
  };
  await writeDurably(recordPath(outbox, key), Buffer.from(`${JSON.stringify(written)}\n`));
}

/** Forgets an export whose rows were all sent, or that never sent anything; it stays forgotten. */
export async function forgetStarted(outbox: string, key: string): Promise<void> {
  await rm(recordPath(outbox, key), { force: true });
  await syncFolder(outbox);
}

function recordPath(outbox: string, key: string): string {
  return join(outbox, `begun-${key}.json`);
}

/** Removes files of exports without a record; with a damaged record, all stay. */
export async function removeUnneeded(outbox: string): Promise<void> {
  try {
    const keys = readdirSync(outbox).flatMap((name) => /^begun-(.*)\.json$/.exec(name)?.[1] ?? []);
    const started = keys.flatMap((key) => readStarted(outbox, key) ?? []);
    // Earlier versions named their record of recipients by the delivery.
    const names = started.flatMap((each) =>
      each.isDone === true ? [] : [each.deliveryId, each.keptAs],
    );
    await removeKept(outbox, (name) => names.includes(name));
  } catch (error) {
    // A damaged record may be that of a delivery to resume.
    if (!(error instanceof AuditlakeError)) throw error;
  }
}

export function getKeptFiles(outbox: string, started: StartedExport): KeptDelivery {
  const { deliveryId, keptAs = deliveryId, rows = 0, isEnded } = started;
  return { deliveryId, files: listFiles(outbox, keptAs), rows, isEnded };
}

/** Finds the delivery that an order resumes; throws UsageError if it requests remaining rows and none exist. */
export function findEarlier(outbox: string, order: ExportOrder): StartedExport | undefined {
  const { report, to, isNew, resendUncertain, retryRefused } = order;
  const last = isNew ? undefined : readStarted(outbox, buildKey(order));
  const found = last?.isDone === true && !isDoneFor(last, order) ? undefined : last;
  if (found !== undefined || (resendUncertain !== true && retryRefused !== true)) return found;
  const what = resendUncertain === true ? "uncertain" : "refused";
  throw new UsageError(
    `nothing is ${what}: no delivery of ${report.name} to ${to} with these parameters is incomplete; nothing was sent`,
  );
}

function isDoneFor({ dueMs }: StartedExport, order: ExportOrder): boolean {
  const isAgain = order.retryRefused === true || order.resendUncertain === true;
  return dueMs !== undefined && dueMs === order.dueMs && !isAgain;
}

/** Describes a delivery that ended before for the same scheduled time: the schedule may not know of it. */
export function describeDelivered(
  { rows = 0, dueMs, deliveryId }: StartedExport,
  target: string,
): Delivery {
  const due = new Date(dueMs!).toISOString();
  const notes = [
    `nothing more is sent: the delivery scheduled for ${due} is complete; --new starts another`,
  ];
  return { target, delivery: deliveryId, accepted: rows, refused: 0, outcome: "delivered", notes };
}

/** The outcome of a command that sends nothing, since all rows of its delivery were sent, refused, or are uncertain. */
export function describeNothingLeft(target: string, left: RowCounts): Delivery {
  const { accepted, refused, uncertain } = left;
  const ways = [
    ...(refused > 0 ? ["--retry-refused retries the refused rows"] : []),
    ...(uncertain > 0 ? ["--resend-uncertain resends rows that may have arrived"] : []),
    "--new starts another delivery",
  ];
  const notes = [`nothing more is sent: ${formatLeft(left)}; ${ways.join(", ")}`];
  return { target, accepted, refused, uncertain, outcome: "partial", notes };
}

/** The line about a delivery that resumes. */
export function resumeText({ nowMs, isEnded }: StartedExport, left: RowCounts | undefined): string {
  const started = `the delivery started ${new Date(nowMs).toISOString()}`;
  if (isEnded && left !== undefined)
    return `resumes ${started}, which is incomplete: ${formatLeft(left)}`;
  return `resumes ${started}, which was interrupted; --new starts another and resends the rows that were sent`;
}
