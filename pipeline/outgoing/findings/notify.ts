import { severities } from "../../../schemas/detections.ts";
import { AuditlakeError, exitCode, type ExitCode, getMessage } from "../../base/errors.ts";
import type { Settings } from "../../base/home/settings.ts";
import { fault, notify } from "../../base/notice/notice.ts";
import { printer } from "../../base/notice/printer.ts";
import { type Cell, type Rows, textColumn } from "../../base/rows/row.ts";
import {
  count,
  nullable,
  oneOf,
  queryRows,
  text,
  type TypedRow,
} from "../../base/sql/typed-rows.ts";
import type { World } from "../../base/world.ts";
import { keepDecisions, notifiedFindings } from "../../core/detect/decisions.ts";
import { findSignedHead } from "../../core/evidence/head.ts";
import { readLimits } from "../../core/store/limits.ts";
import { openPublished } from "../../core/store/open.ts";
import { withHead } from "../targets/destination.ts";
import { announceFindings, getLink, mostSingles } from "./announcement.ts";

// A finding is sent once to each target. That it was sent is landed right after, as decisions are: a crash between the
// two resends it under the same id.

const shape = {
  findingId: text,
  detection: text,
  severity: oneOf(severities),
  title: text,
  message: text,
  source: text,
  subject: text,
  key: text,
  firstMoment: text,
  lastMoment: text,
  firstAt: text,
  lastAt: text,
  hits: count,
  attack: text,
  next: nullable(text),
  rank: count,
};

type Unsent = TypedRow<typeof shape>;

/**
 * Sends new findings to the targets of `findings.notify`, one message each, or one digest for more than ten. If a
 * target fails, reports an error with the exit code for partial success; the next run sends them to it.
 */
export async function notifyFindings(
  settings: Settings,
  world: World,
): Promise<ExitCode | undefined> {
  const { notify: targets, enabled } = settings.config.findings;
  if (targets.length === 0 || !enabled || settings.flags.findings === false) return undefined;
  let code: ExitCode | undefined;
  for (const { target, severity } of targets) {
    const unsent = await readUnsent(settings, target, severities.indexOf(severity));
    for (const group of unsent.length > mostSingles ? [unsent] : unsent.map((each) => [each]))
      try {
        await sendFindings(target, group, settings, world);
        await keepDecisions(settings.home, group.map(notified), target, world);
      } catch (error) {
        if (!(error instanceof AuditlakeError)) throw error;
        code = exitCode.partial;
        notify(world, fault("findings_unsent", { target, why: getMessage(error) }), code);
        break;
      }
  }
  return code;
}

async function readUnsent(
  { home, config }: Settings,
  target: string,
  least: number,
): Promise<Unsent[]> {
  await using database = await openPublished(home.published, readLimits(config));
  const rows = await queryRows(database.connection, "queries/findings/unsent.sql", shape, {
    least,
    target,
  });
  // What was sent since the last run is landed, and not in the tables yet.
  const sent = notifiedFindings(home, target);
  return rows.filter(({ findingId }) => !sent.has(findingId));
}

function notified(finding: Unsent) {
  return {
    decision: "notified" as const,
    detection: finding.detection,
    source: finding.source,
    key: finding.key,
    first_at: finding.firstMoment,
    last_at: finding.lastMoment,
    finding_id: finding.findingId,
  };
}

async function sendFindings(
  name: string,
  group: readonly Unsent[],
  settings: Settings,
  world: World,
): Promise<void> {
  const deliveryId = `findings-${group[0]!.findingId}${group.length > 1 ? `-and-${group.length - 1}` : ""}`;
  const head = findSignedHead(settings.home.landing);
  const announcement = announceFindings(group, settings.config.serve.base_url);
  const order = {
    deliveryId,
    confirmed: false,
    print: printer(world),
    announcement: withHead(announcement, head),
  };
  // Every run comes by here, few have a finding to send, and the code of all destinations takes a moment to load.
  const { deliverTo, findTarget, withTarget } = await import("../deliveries/target.ts");
  await withTarget(settings.home, name, "findings", world, async () => {
    const target = findTarget(settings, name);
    const rows = rowsOf(group, settings, head);
    const { accepted } = await deliverTo(target, rows, order, settings, world);
    if (accepted === 0) throw new AuditlakeError(`the target refused ${deliveryId}`);
  });
}

function rowsOf(group: readonly Unsent[], settings: Settings, head: string | undefined): Rows {
  const columns = [
    "finding_id",
    "severity",
    "title",
    "message",
    "subject",
    "detection",
    "source",
    "first_at",
    "last_at",
    "hits",
    "attack",
    "link",
    "next",
    ...(head === undefined ? [] : ["evidence_head"]),
  ].map(textColumn);
  const rows = group.map((each): Cell[] => [
    each.findingId,
    each.severity,
    each.title,
    each.message,
    each.subject,
    each.detection,
    each.source,
    each.firstAt,
    each.lastAt,
    String(each.hits),
    each.attack,
    getLink(each, settings.config.serve.base_url) ?? null,
    each.next,
    ...(head === undefined ? [] : [head]),
  ]);
  const batches = async function* (): AsyncGenerator<readonly Cell[][]> {
    yield await Promise.resolve(rows);
  };
  return { columns, batches: batches() };
}
