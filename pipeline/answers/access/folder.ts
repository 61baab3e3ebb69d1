import { join } from "node:path";
import { UsageError } from "../../base/errors.ts";
import {
  compareSets,
  type Comparison,
  type Grant,
  listGrants,
  parseSet,
  selectPermissions,
} from "../../core/records/permissions.ts";
import { openClient } from "../../core/source/client.ts";
import { readCurrentSet, withUnnamed } from "./change.ts";
import { chooseSource, type Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import { changeLines } from "./change-lines.ts";
import { orderSteps, type OrderedSteps, type Step } from "./order-steps.ts";
import { findPolicy, openKnown, type Target } from "./target.ts";
import { flagOfSet, readSetFile } from "./wanted-set.ts";
import { plainPrinter } from "../../base/notice/printer.ts";
import { listGiven } from "../../base/home/given-file.ts";
import { toTimestamp } from "../../base/time/text.ts";
import { isInPlace, listChanges } from "./log.ts";
import { formatShort } from "./review/rights.ts";
import { listPolicyRights } from "./policy-rights.ts";
import { readUnreadTimes } from "../report/unread.ts";

/** Works on what a folder of sets would change, in the order that it is sent in. Throws UsageError on a bad file. */
export async function withFolder<T>(
  folder: string,
  settings: Settings,
  world: World,
  work: (ordered: OrderedSteps, print: (line: string) => void) => Promise<T>,
): Promise<T> {
  const source = chooseSource(settings, world);
  const print = plainPrinter(world, settings.flags);
  const files = listFiles(
    folder,
    /\.json$/,
    "no .json file; expected one per policy, as 1234.json",
  );
  const sets = files.map((file) => readSetFile(join(folder, file), false, flagOfSet));
  await using client = openClient(settings, source, world);
  const steps: Step[] = [];
  for (const [i, file] of files.entries()) {
    const id = await findPolicy(file.slice(0, -".json".length), settings, source, world);
    const twin = steps.find(({ target }) => target.id === id);
    if (twin !== undefined)
      throw new UsageError(`${folder} has two files for policy ${id}; nothing was sent`);
    const wanted = sets[i]!;
    const before = selectPermissions(await readCurrentSet(client, id));
    const comparison = compareSets(before, wanted);
    steps.push({ target: { id, settings, source, client }, before, wanted, comparison });
  }
  const changing = steps.filter(
    ({ comparison: { added, removed } }) => added.length + removed.length > 0,
  );
  print(`${files.length} files, ${changing.length} policies to change`);
  return await work(await orderSteps(changing, settings, source, world.now()), print);
}

/** Describes the changes of the file as text, and separately what would undo the changes of another client. */
export async function planText(
  target: Target,
  comparison: Comparison,
  world: World,
): Promise<string> {
  const apart = await splitDrift(target, comparison, world);
  const { own, drift } = apart ?? { own: comparison, drift: { added: [], removed: [] } };
  const hasOwn = own.added.length + own.removed.length > 0;
  const changes = hasOwn ? `policy ${target.id}\n${changeLines(own)}` : "";
  if (apart === undefined || drift.added.length + drift.removed.length === 0) return changes;
  return `${changes}policy ${target.id}, reverting the drift ${apart.base}\n${changeLines(apart.drift)}`;
}

/** The files of a folder whose names fit, by name. Throws UsageError where it cannot be read or has `none` of them. */
export function listFiles(folder: string, fits: RegExp, none: string): string[] {
  const files = listGiven(folder)
    .filter((name) => fits.test(name))
    .sort();
  if (files.length > 0) return files;
  throw new UsageError(`${folder} has ${none}`);
}

/** The part of a comparison that undoes changes made elsewhere, and the part that the file itself changes. */
type DriftSplit = {
  readonly own: Comparison;
  readonly drift: Comparison;
  /** What the service is compared with, in words. */
  readonly base: string;
};

/**
 * Separates drift from the changes of a file: compared with the last set that auditlake sent, else with log and
 * snapshots. Undefined if neither knows the policy.
 */
export async function splitDrift(
  target: Target,
  { added, removed, kept }: Comparison,
  world: World,
): Promise<DriftSplit | undefined> {
  const base = findLastSent(target) ?? (await findLastKnown(target, world));
  if (base === undefined) return undefined;
  const wasHeld = (grant: Grant): boolean => base.rights.has(formatRight(grant));
  return {
    own: {
      added: added.filter((grant) => !wasHeld(grant)),
      removed: removed.filter(wasHeld),
      kept,
    },
    drift: {
      added: added.filter(wasHeld),
      removed: removed.filter((grant) => !wasHeld(grant)),
      kept: [],
    },
    base: base.words,
  };
}

type Base = { readonly rights: ReadonlySet<string>; readonly words: string };

type NamedRight = Pick<Grant, "kind" | "operation" | "objectId">;

const formatRight = (right: NamedRight): string => `${right.kind} ${formatShort(right)}`;

function findLastSent({ id, source, settings }: Target): Base | undefined {
  const last = listChanges(settings.home).findLast(
    (change) => change.source === source.name && change.policy_id === id && isInPlace(change),
  );
  if (last === undefined) return undefined;
  const after = parseSet(last.after);
  const isKept = last.outcome === "kept_further";
  const grants = listGrants(isKept ? withUnnamed(parseSet(last.before), after) : after);
  return {
    rights: new Set(grants.map(formatRight)),
    words: `since auditlake set it on ${last.sent_at}`,
  };
}

async function findLastKnown(
  { id, source, settings }: Target,
  world: World,
): Promise<Base | undefined> {
  await using database = await openKnown(settings);
  if (database === undefined) return undefined;
  const on = toTimestamp(world.now());
  // Creates the table that the query reads.
  await readUnreadTimes(database.connection, source.name);
  const asked = { policy_id: id, source: source.name, on };
  const rights = await listPolicyRights(database.connection, asked);
  if (rights.length === 0) return undefined;
  const texts = rights.map(({ resourceKind: kind, ...right }) => formatRight({ kind, ...right }));
  return { rights: new Set(texts), words: "from what log and snapshots show" };
}
