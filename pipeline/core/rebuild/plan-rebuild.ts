import { AuditlakeError } from "../../base/errors.ts";
import { type LandedMark, listMarks } from "../landing/marks.ts";
import { listTombstones, listPrunedReads, type Tombstone } from "../landing/tombstones.ts";
import {
  isUnstorable,
  type Manifest,
  getManifestPath,
  listMissingPages,
  readManifests,
  unstorableText,
} from "../landing/manifests.ts";
import { listUndoneReads } from "../landing/undos.ts";
import type { RecordedPrune } from "../store/prune.ts";
import { toRecordedPrune } from "./finish-prunes.ts";
import type { PresentStore } from "./present.ts";

/** One thing that happens to the new database; they go in the order in which they happened to the old one. */
export type Step =
  | { readonly kind: "load"; readonly at: string; readonly manifest: Manifest }
  | {
      readonly kind: "carry";
      readonly at: string;
      readonly readId: string;
      /** The landed manifest or tombstone of the read. */
      readonly manifest: Manifest | undefined;
    }
  | { readonly kind: "mark"; readonly at: string; readonly mark: LandedMark }
  | { readonly kind: "prune"; readonly at: string; readonly prune: RecordedPrune };

export type Choices = {
  /** Take from the present database what landing should have and cannot give. */
  readonly carryOver: boolean;
  /** Leave out what neither has, and accept the new database even if its digest differs. */
  readonly force: boolean;
  /** Prints no excluded reads: the caller has listed them already. */
  readonly isSilent?: true;
};

export type RebuildPlan = {
  /** What the present database holds, too: the digests must be equal after these. */
  readonly known: readonly Step[];
  /** Landed reads that it has not loaded. */
  readonly pending: readonly Step[];
  /** Reads excluded under `force`, with the reasons. */
  readonly leftOut: readonly string[];
};

/** The same, with what names the records of each source where it is not `id`. */
export type IdentifiedPlan = RebuildPlan & { readonly ids: ReadonlyMap<string, string> };

/** Finds the source of each read for a rebuild; throws AuditlakeError with the reads that have none. */
export function planRebuild(
  landing: string,
  present: PresentStore | undefined,
  { carryOver, force }: Choices,
): RebuildPlan {
  const { all, damaged, prunedReads } = listLandedReads(landing);
  const [unfit, manifests] = [all.filter(isUnstorable), all.filter((each) => !isUnstorable(each))];
  const tombstones = listTombstones(landing);
  const isHeld = (readId: string): boolean => present?.reads.has(readId) === true;
  const steps: Step[] = [];
  const [leftOut, refused]: string[][] = [unfit.map(formatUnfit), []];
  const carry = (readId: string, manifest: Manifest | undefined): void => {
    const at = `${present?.reads.get(readId)}${readId}`;
    steps.push({ kind: "carry", at, readId, manifest });
  };
  const refuseRead = (readId: string, manifest: Manifest | undefined, what: string): void => {
    if (carryOver && isHeld(readId)) carry(readId, manifest);
    else if (force) leftOut!.push(what);
    else refused!.push(isHeld(readId) ? `${what}; ${carryAdvice}` : `${what}; ${forceAdvice}`);
  };
  const pruned = new Map(prunedReads.map((read) => [read.read_id, read]));
  // Of what a prune took with its events nothing is left to take.
  const taken = listPrunedReads(tombstones);
  for (const [readId, manifest] of pruned)
    if (isHeld(readId)) carry(readId, manifest);
    else if (!taken.has(readId))
      refuseRead(readId, manifest, `read ${readId} was pruned and is in no readable database`);
  const gone = new Set(listMissingPages(landing, manifests));
  for (const manifest of manifests) {
    if (pruned.has(manifest.read_id)) continue;
    const lost = manifest.pages.find((page) => gone.has(page));
    if (lost === undefined) steps.push({ kind: "load", at: getReadTime(manifest), manifest });
    else
      refuseRead(
        manifest.read_id,
        manifest,
        `page ${lost.sha256} of read ${manifest.read_id} is missing`,
      );
  }
  for (const readId of damaged)
    refuseRead(readId, undefined, `manifest ${getManifestPath(landing, readId)} cannot be read`);
  const landed = new Set([...manifests.map(({ read_id: id }) => id), ...damaged, ...pruned.keys()]);
  for (const readId of present?.reads.keys() ?? [])
    if (!landed.has(readId))
      refuseRead(readId, undefined, `the manifest of read ${readId} is missing`);
  refuse(refused!);
  steps.push(...tombstones.map(pruneStep));
  for (const mark of listMarks(landing))
    steps.push({ kind: "mark", at: `${mark.marked_at}${mark.mark_id}`, mark });
  steps.sort((a, b) => (a.at < b.at ? -1 : 1));
  const isPending = (step: Step): boolean =>
    present !== undefined && step.kind === "load" && !isHeld(step.manifest.read_id);
  return {
    known: steps.filter((step) => !isPending(step)),
    pending: steps.filter(isPending),
    leftOut: leftOut!,
  };
}

// An import that was taken back is as if it had never been there.
function listLandedReads(landing: string): {
  readonly all: Manifest[];
  readonly damaged: string[];
  readonly prunedReads: Manifest[];
} {
  const { manifests, damaged } = readManifests(landing);
  const undone = listUndoneReads(landing);
  const isThere = ({ read_id: readId }: Manifest): boolean => !undone.has(readId);
  return {
    all: manifests.filter(isThere),
    damaged: damaged.filter((readId) => !undone.has(readId)),
    prunedReads: listTombstones(landing).flatMap(({ reads }) => reads.filter(isThere)),
  };
}

function formatUnfit({ read_id: readId }: Manifest): string {
  return `landed read ${readId} ${unstorableText}; the next ingest moves it aside`;
}

// At the same moment reads come first, since the prune found them there.
function pruneStep(tombstone: Tombstone): Step {
  const at = `${tombstone.pruned_at}~${tombstone.prune_id}`;
  return { kind: "prune", at, prune: toRecordedPrune(tombstone) };
}

export const carryAdvice =
  "restore it from a backup, or use --carry-over to take its events from the current database";
const forceAdvice = "restore it from a backup, or use --force to rebuild without it";

function refuse([first, ...more]: readonly string[]): void {
  if (first === undefined) return;
  const others = more.length === 0 ? "" : ` (and ${more.length} more like it)`;
  throw new AuditlakeError(`nothing was changed${others}: ${first}`);
}

function getReadTime(manifest: Manifest): string {
  return manifest.read_at + manifest.read_id;
}
