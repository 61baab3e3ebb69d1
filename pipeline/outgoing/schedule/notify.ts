import { type Notice as Warning, warning } from "../../base/notice/notice.ts";
import { type Print } from "../../base/notice/printer.ts";
import { AuditlakeError, getMessage } from "../../base/errors.ts";
import { type Cell, type Column, type Row, type Rows, textColumn } from "../../base/rows/row.ts";
import { deliverTo, findTarget, readTargetCredentials } from "../deliveries/target.ts";
import { findSignedHead } from "../../core/evidence/head.ts";
import { type Announcement, withHead } from "../targets/destination.ts";
import type { Notice } from "./notice.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import { formatSecond } from "../../base/time/text.ts";
import type { Memory } from "./job-state.ts";

/**
 * Sends a notice to all who are to get it; `sent` is called with each that has it. Throws where one may not have it.
 */
export type Send = (notice: Notice, sent?: (target: string) => Promise<void>) => Promise<void>;

/** Throws UsageError if a credential of a `schedule.notify` target is missing. */
export function checkNotify(settings: Settings, world: World): void {
  for (const name of settings.config.schedule.notify ?? [])
    readTargetCredentials(findTarget(settings, name), settings, world);
}

/**
 * Builds the sender of notices to the targets of `schedule.notify`, each in its own delivery: one row for a webhook, a
 * message for a chat or an e-mail address. A failing target does not affect the others.
 */
export function newSender(settings: Settings, world: World, print: Print): Send | undefined {
  const { notify: targets } = settings.config.schedule;
  if (targets === undefined) return undefined;
  return async (notice, sent) => {
    const faults: unknown[] = [];
    for (const name of targets.filter((each) => !notice.sent_to.includes(each)))
      try {
        await notifyOne(name, notice, settings, world, print);
        await sent?.(name);
      } catch (error) {
        faults.push(
          targets.length === 1 ? error : new AuditlakeError(`${name}: ${getMessage(error)}`),
        );
      }
    if (faults.length > 0) throw faults[0];
  };
}

async function notifyOne(
  name: string,
  notice: Notice,
  settings: Settings,
  world: World,
  print: Print,
): Promise<void> {
  const head = findSignedHead(settings.home.landing);
  const order = {
    deliveryId: notice.id,
    confirmed: false,
    print,
    announcement: withHead(buildAnnouncement(notice), head),
  };
  const target = findTarget(settings, name);
  const { accepted, uncertain = 0 } = await deliverTo(
    target,
    toRows(notice, head),
    order,
    settings,
    world,
  );
  // A mail that some of its recipients have counts as accepted: it would come to them again.
  if (accepted > 0) return;
  throw new AuditlakeError(
    uncertain > 0
      ? "it answered with a success status, but its body contains a refusal"
      : "it rejected the notification",
  );
}

function buildAnnouncement({
  job,
  state,
  message,
  due_ms: dueMs,
  counts,
  table,
  more,
}: Notice): Announcement {
  const figures =
    counts === null
      ? []
      : [`${counts.accepted} arrived, ${counts.refused} refused, ${counts.doubtful} uncertain`];
  const lines = [message, ...figures, `scheduled: ${formatSecond(dueMs)}`, `see: ${more}`];
  const shown =
    table === null
      ? undefined
      : { columns: table.columns.map((each) => textColumn(each)), rows: table.rows };
  return { title: `auditlake: ${job} ${state}`, text: lines.join("\n"), table: shown };
}

/** The warning of a notice that may not have arrived. */
export function describeUnsent({ config }: Settings, error: unknown): Warning {
  const { notify: targets = [] } = config.schedule;
  return warning("notice_uncertain", { targets, why: getMessage(error) });
}

const newNumberColumn = (name: string): Column => ({ name, type: "BIGINT", kind: "number" });

function toRows(notice: Notice, head: string | undefined): Rows {
  const cells: readonly (readonly [Column, Cell])[] = [
    [textColumn("job"), notice.job],
    [textColumn("state"), notice.state],
    [newNumberColumn("exit_code"), notice.exit_code],
    [textColumn("cause"), notice.cause],
    [textColumn("source"), notice.source],
    [textColumn("run_id"), notice.run_id],
    [newNumberColumn("configuration_failures"), notice.configuration_failures],
    [newNumberColumn("disable_after"), notice.disable_after],
    [textColumn("due_at"), formatSecond(notice.due_ms)],
    [textColumn("finished_at"), formatSecond(notice.finished_ms)],
    [textColumn("message"), notice.message],
    [textColumn("more"), notice.more],
    ...countCells(notice),
    ...(head === undefined ? [] : [[textColumn("evidence_head"), head] as readonly [Column, Cell]]),
    ...(notice.table === null
      ? []
      : [[textColumn("table"), JSON.stringify(notice.table)] as readonly [Column, Cell]]),
  ];
  return {
    columns: cells.map(([column]) => column),
    batches: streamRow(cells.map(([, cell]) => cell)),
  };
}

function countCells({ counts }: Notice): (readonly [Column, Cell])[] {
  const entries = Object.entries(counts ?? {});
  return entries.map(([name, count]) => [newNumberColumn(name), count]);
}

async function* streamRow(row: Row): AsyncGenerator<readonly Row[]> {
  yield await Promise.resolve([row]);
}

/**
 * Sends the waiting notices, oldest first, and removes each delivered one from the list. Throws the error of the first
 * failure; that notice and the later ones keep waiting.
 */
export async function sendWaiting(
  memory: Memory,
  send: (notice: Notice) => Promise<void>,
): Promise<void> {
  for (;;) {
    const [next] = memory.read().notices;
    if (next === undefined) return;
    await send(next);
    await memory.update((state) => ({
      ...state,
      notices: state.notices.filter(({ id }) => id !== next.id),
    }));
  }
}

const firstAgainMs = 60_000;
const longestAgainMs = 3_600_000;

/**
 * `send`, but after it failed only again after a minute, then two, four, and so on up to an hour. `failed` is called
 * with each failure.
 */
export function newPatientSender(
  send: () => Promise<void>,
  now: () => number,
  failed: (error: unknown) => void,
): () => Promise<void> {
  let failedMs = -Infinity;
  let waitMs = 0;
  return async () => {
    const sinceMs = now() - failedMs;
    // A negative time comes from a clock that was set back.
    if (sinceMs >= 0 && sinceMs < waitMs) return;
    try {
      await send();
      waitMs = 0;
    } catch (error) {
      failed(error);
      failedMs = now();
      waitMs = waitMs === 0 ? firstAgainMs : Math.min(waitMs * 2, longestAgainMs);
    }
  };
}
