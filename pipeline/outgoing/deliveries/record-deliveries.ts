import { formatJsonDocument } from "../../base/printable.ts";
import { dirname, resolve } from "node:path";
import { makeFolder, writeDurably } from "../../base/home/durable.ts";
import { isFolder, describeUnreadable } from "../../base/home/given-file.ts";
import { DeliveryError, formatRowCount } from "../targets/error.ts";
import {
  AuditlakeError,
  type ExitCode,
  exitCode,
  getMessage,
  UsageError,
} from "../../base/errors.ts";
import { recordDelivery, type DeliveryRun } from "../../core/store/delivery-runs.ts";
import { newRunId } from "../../core/store/ledger/record.ts";
import { findSignedHead } from "../../core/evidence/head.ts";
import { requireHome } from "../../base/home/published.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";

/** Facts of a delivering command before it starts. */
export type Frame = Pick<DeliveryRun, "verb" | "name" | "target" | "connector"> & {
  readonly dueMs: number | undefined;
  /** File for the summary, or - for standard output. */
  readonly summary: string | undefined;
};

/** The outcome of one delivery of the command; `more` is for the summary only. */
export type DeliveryEnd = {
  readonly delivery: string | null;
  readonly outcome: "delivered" | "partial";
  readonly rows: number;
  readonly accepted: number;
  readonly refused: number;
  readonly uncertain: number;
  readonly more: Readonly<Record<string, unknown>>;
};

/**
 * Runs a command that delivers, and throws what it throws. The command reports the outcome of each delivery as soon as
 * it has ended. It is recorded in the home and in the requested summary, also if a later one fails. A lock held by
 * another run counts as no run.
 */
export async function recordDeliveries(
  frame: Frame,
  settings: Settings,
  world: World,
  work: (onEnded: (came: DeliveryEnd) => void) => Promise<void>,
): Promise<void> {
  let startedMs = world.now();
  requireHome(settings.home);
  // Before anything goes out: run again for want of a summary, it might go out twice.
  if (frame.summary !== undefined && frame.summary !== "-") await prepareSummaryFile(frame.summary);
  const came: DeliveryEnd[] = [];
  const ended: DeliveryRun[] = [];
  const noteEnd = (each: DeliveryEnd): void => {
    came.push(each);
    ended.push(buildRun(frame, each, startedMs, world));
    startedMs = world.now();
  };
  let fault: unknown;
  try {
    await work(noteEnd);
  } catch (error) {
    fault = findRemaining(came, error);
  }
  const isLocked = chooseExitCode(fault) === exitCode.locked;
  if (isLocked && came.length === 0) throw fault;
  const isRun = fault !== undefined && !isLocked;
  const failed = isRun ? [buildFailedRun(frame, fault, startedMs, world)] : [];
  const runs = [...ended, ...failed];
  try {
    for (const run of runs) await recordDelivery(settings.home, run);
    const head = findSignedHead(settings.home.landing);
    await summarizeRuns(frame, { runs, came, head }, world);
  } catch (error) {
    fault ??= error;
  }
  if (fault !== undefined) throw fault;
}

// "Nothing was delivered" describes the failed delivery, not one that was resumed before it.
function findRemaining(came: readonly DeliveryEnd[], fault: unknown): unknown {
  if (came.length === 0 || !(fault instanceof AuditlakeError)) return fault;
  fault.message += `; before that, a delivery ended: ${came.map(formatFigures).join("; ")}`;
  return fault;
}

function formatFigures({ accepted, refused, uncertain }: DeliveryEnd): string {
  const rest = [
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(uncertain > 0 ? [`${uncertain} uncertain`] : []),
  ];
  return [`${formatRowCount(accepted)} delivered in all`, ...rest].join(", ");
}

function chooseExitCode(fault: unknown): ExitCode {
  return fault instanceof AuditlakeError ? fault.exitCode : exitCode.failed;
}

function buildRun(
  { verb, name, target, connector, dueMs }: Frame,
  { delivery, outcome, rows, accepted, refused, uncertain }: DeliveryEnd,
  startedMs: number,
  { now, random }: World,
): DeliveryRun {
  return {
    run_id: newRunId(now(), random),
    verb,
    name,
    target,
    connector,
    delivery,
    due_at: dueMs === undefined ? null : formatIso(dueMs),
    started_at: formatIso(startedMs),
    finished_at: formatIso(now()),
    outcome,
    exit_code: outcome === "partial" ? exitCode.partial : exitCode.done,
    rows_read: rows,
    accepted,
    refused,
    // The name of the column in `delivery_runs`.
    doubtful: uncertain,
    error: null,
  };
}

function buildFailedRun(
  frame: Frame,
  fault: unknown,
  startedMs: number,
  world: World,
): DeliveryRun {
  const { accepted, uncertain, missing } =
    fault instanceof DeliveryError ? fault.progress : { accepted: 0, uncertain: 0, missing: 0 };
  const counts = { rows: accepted + uncertain + missing, accepted, refused: 0, uncertain };
  const bare = buildRun(
    frame,
    { delivery: null, outcome: "partial", ...counts, more: {} },
    startedMs,
    world,
  );
  const code = chooseExitCode(fault);
  const stopped = code === exitCode.findings ? ("stopped" as const) : ("failed" as const);
  const outcome = world.signal.aborted ? "interrupted" : stopped;
  return { ...bare, outcome, exit_code: code, error: getMessage(fault) };
}

function formatIso(ms: number): string {
  return new Date(ms).toISOString();
}

async function prepareSummaryFile(path: string): Promise<void> {
  if (isFolder(path)) throw new UsageError(`--summary ${path} is a folder, expected a file`);
  try {
    await makeFolder(dirname(resolve(path)));
  } catch (error) {
    throw new UsageError(
      `--summary ${path}: its folder cannot be created: ${describeUnreadable(error)}`,
    );
  }
}

async function summarizeRuns(
  { summary }: Frame,
  {
    runs,
    came,
    head,
  }: {
    readonly runs: readonly DeliveryRun[];
    readonly came: readonly DeliveryEnd[];
    readonly head: string | undefined;
  },
  world: World,
): Promise<void> {
  if (summary === undefined) return;
  const text = formatJsonDocument({
    runs: runs.map((run, at) => ({ ...run, ...came[at]?.more })),
    ...(head !== undefined && { evidence_head: head }),
  });
  if (summary === "-") world.stdout.write(text);
  else await writeDurably(resolve(summary), Buffer.from(text));
}
