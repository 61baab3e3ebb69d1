import { notify, warning } from "../../../base/notice/notice.ts";
import { chooseSource, type Settings } from "../../../base/home/settings.ts";
import { formatDay, toTimestamp } from "../../../base/time/text.ts";
import { openClient } from "../../../core/source/client.ts";
import { newRunId } from "../../../core/store/ledger/record.ts";
import { readLimits } from "../../../core/store/limits.ts";
import { openPublished } from "../../../core/store/open.ts";
import type { World } from "../../../base/world.ts";
import type { SendFlags } from "../send.ts";
import { checkChanges, sendChanges, type PolicyChange } from "./check-changes.ts";
import { readSheetDecisions, readSheets, findSheetReview, type SheetRow } from "./decisions.ts";
import { readKeptDecisions, keepDecided, type Decision, type Review } from "./stored-decisions.ts";
import { planDecisions, type Plan } from "./plan-decisions.ts";
import { listHoldings } from "./rights.ts";
import { listHeldKeys } from "./item-status.ts";

export type DecisionFlags = SendFlags & {
  readonly reviewer?: string;
  readonly allowUndocumented?: true;
};

/** Result of the sheets of a review: the plan, other tasks, and how to carry it out. */
export type DecidedReview = {
  readonly plan: Plan;
  readonly changes: readonly PolicyChange[];
  /** Keeps what was decided, and sends what follows. */
  readonly carryOut: () => Promise<void>;
};

/**
 * Works on the decisions in the sheets of a folder, compared with the present rights. Throws AuditlakeError if a sheet
 * is wrong, or a policy has changed since the review.
 */
export async function withDecided(
  folder: string,
  flags: DecisionFlags,
  settings: Settings,
  world: World,
  work: (decided: DecidedReview) => Promise<void>,
): Promise<void> {
  const rows = readSheets(folder);
  const review = findSheetReview(rows, folder, settings);
  const taken = readDecisions(rows, review, flags, settings, world);
  const decisions = new Map([...readKeptDecisions(settings.home, review.review_id), ...taken]);
  warn(review, taken, decisions, world);
  const own = { ...settings, flags: { ...settings.flags, source: review.source } };
  const source = chooseSource(own, world);
  const holdings = await readHoldings(settings, review, world);
  const held = listHeldKeys(holdings);
  const plan = planDecisions(review.items, decisions, (key) => held.has(key));
  await using client = plan.taken.size === 0 ? undefined : openClient(settings, source, world);
  const reviewed = { review, holdings, decisions };
  const { changes, steps } =
    client === undefined
      ? { changes: [], steps: [] }
      : await checkChanges(plan, reviewed, flags, { settings, source, client });
  await work({
    plan: { ...plan, steps: [...plan.steps, ...steps] },
    changes,
    carryOut: async () => {
      await keepTaken(review, taken, settings, world);
      await sendChanges(changes, review, decisions, flags, world);
    },
  });
}

async function keepTaken(
  { review_id }: Review,
  taken: ReadonlyMap<string, Decision>,
  { home }: Settings,
  world: World,
): Promise<void> {
  await keepDecided(home, newRunId(world.now(), world.random), {
    version: 1,
    review_id,
    decided_at: new Date(world.now()).toISOString(),
    decisions: [...taken.values()],
  });
}

function readDecisions(
  rows: readonly SheetRow[],
  review: Review,
  flags: DecisionFlags,
  { config }: Settings,
  world: World,
): Map<string, Decision> {
  return readSheetDecisions(rows, review, {
    reviewer: flags.reviewer,
    date: formatDay(world.now()),
    isReasonNeeded: config.policies.require_reason && flags.reason === undefined,
  });
}

// What a reviewer should not have done is a warning, and is theirs to answer for.
function warn(
  { items }: Review,
  taken: ReadonlyMap<string, Decision>,
  decisions: ReadonlyMap<string, Decision>,
  world: World,
): void {
  const missing = items.filter(({ row }) => !decisions.has(row)).length;
  const own = items.filter(
    ({ row, person }) =>
      taken.get(row)?.decision === "keep" && taken.get(row)!.reviewer.toLowerCase() === person,
  ).length;
  if (missing > 0) notify(world, warning("review_rows_missing", { rows: missing }));
  if (own > 0) notify(world, warning("review_rows_own", { rows: own }));
}

async function readHoldings(
  settings: Settings,
  { source }: Review,
  world: World,
): ReturnType<typeof listHoldings> {
  const on = toTimestamp(world.now());
  await using database = await openPublished(settings.home.published, readLimits(settings.config));
  return await listHoldings(database.connection, { source, on });
}
