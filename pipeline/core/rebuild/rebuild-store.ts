import { escapeControls } from "../../base/printable.ts";
import { warning } from "../../base/notice/notice.ts";
import { formatCommand } from "../../base/command-line.ts";
import { existsSync, statfsSync, statSync } from "node:fs";
import { AuditlakeError } from "../../base/errors.ts";
import type { Home } from "../../base/home/layout.ts";
import type { Settings } from "../../base/home/settings.ts";
import { buildAmbiguityNotice } from "../load/pending-reads.ts";
import { printer } from "../../base/notice/printer.ts";
import type { World } from "../../base/world.ts";
import {
  type Choices,
  type IdentifiedPlan,
  planRebuild,
  type RebuildPlan,
  type Step,
} from "./plan-rebuild.ts";
import { findPresent, type FoundStore, listMovedFiles } from "./present.ts";
import { replaceWarehouse } from "./restore.ts";
import { join } from "node:path";
import { readToolVersion } from "../../base/home/version.ts";
import { openWriter } from "../writer/open.ts";
import { newProgress } from "../../base/terminal/progress.ts";
import { chooseIds } from "../load/own-ids.ts";
import { newRun } from "../store/ledger/record.ts";
import { toTimestamp } from "../../base/time/text.ts";
import { buildStore, type BuildResult } from "./build.ts";

/** A rebuilt database in its place, and the digest of the previous one if it has one. */
export type RebuildResult = Pick<RemadeStore, "plan" | "built"> & {
  readonly before: string | undefined;
};

/** Throws AuditlakeError where a home has nothing to rebuild from; a database without landing is enough. */
export function refuseNothing({ landing, warehouse, published }: Home): void {
  if ([landing, warehouse, published].some((path) => existsSync(path))) return;
  throw new AuditlakeError(
    `nothing to rebuild from: ${landing} does not exist; run ${formatCommand("ingest")} or import first`,
  );
}

/**
 * Rebuilds the database beside the present one under the run lock, then replaces it. Prints excluded and ambiguous
 * reads. Throws AuditlakeError and changes nothing if the digests differ without `force`.
 */
export async function rebuildStore(
  settings: Settings,
  choices: Choices,
  world: World,
): Promise<RebuildResult> {
  const { home } = settings;
  const print = printer(world);
  const found = await findPresent(settings, world);
  const { path, plan, built } = await remakeStore(settings, found, choices, world);
  // A page that several reads have is named once.
  for (const what of choices.isSilent ? [] : new Set([...plan.leftOut, ...built.leftOut]))
    print(warning("left_out", { what: escapeControls(what) }));
  // What a scheduled run read, the next one reads again.
  for (const manifest of built.ambiguous)
    if (!manifest.nightly) print(buildAmbiguityNotice(manifest));
  const before = found.present?.digest;
  if (!choices.force && isSameIds(found.present?.ids, plan.ids)) refuseOther(before, built.digest);
  const printing = { nowMs: world.now(), print };
  await replaceWarehouse(home.warehouse, path, listMovedFiles(found, home), printing);
  return { plan, built, before };
}

// Where records are identified by something else than before, other events are expected.
function isSameIds(
  before: ReadonlyMap<string, string> = new Map(),
  now: ReadonlyMap<string, string>,
): boolean {
  const haveSameIds = [...before].every(([source, idAt]) => now.get(source) === idAt);
  return haveSameIds && before.size === now.size;
}

function refuseOther(before: string | undefined, digest: string): void {
  if (before === undefined || before === digest) return;
  throw new AuditlakeError(
    `the rebuilt database has digest ${digest}, the current one ${before}; nothing was changed; --force uses the rebuilt one`,
  );
}

/** A rebuilt database in the staging folder, closed. */
type RemadeStore = {
  readonly path: string;
  readonly plan: IdentifiedPlan;
  readonly built: BuildResult;
};

/** Rebuilds the database from landing, and from the present database what landing no longer has. */
async function remakeStore(
  settings: Settings,
  found: FoundStore,
  choices: Choices,
  world: World,
): Promise<RemadeStore> {
  const planned = planRebuild(settings.home.landing, found.present, choices);
  const { sources } = settings.config;
  const getConfiguredId = (source: string): string | null => sources[source]?.audits.id_at ?? null;
  const loads = [...planned.known, ...planned.pending].flatMap((step) =>
    step.kind === "load" ? step.manifest : [],
  );
  const plan = identifyBy(planned, chooseIds(loads, getConfiguredId));
  const path = join(settings.home.staging, "rebuilt.duckdb");
  const built = await buildAt(path, plan, { settings, found, choices }, world);
  return { path, plan, built };
}

type Ground = {
  readonly settings: Settings;
  readonly found: FoundStore;
  readonly choices: Choices;
};

// The reads of a source are loaded with one id, also those from before it was set.
function identifyBy(plan: RebuildPlan, ids: ReadonlyMap<string, string>): IdentifiedPlan {
  const setIdPath = (step: Step): Step =>
    step.kind === "load"
      ? { ...step, manifest: { ...step.manifest, id_at: ids.get(step.manifest.source) } }
      : step;
  const { known, pending } = plan;
  return { ...plan, known: known.map(setIdPath), pending: pending.map(setIdPath), ids };
}

async function buildAt(
  path: string,
  plan: IdentifiedPlan,
  { settings, found: { present }, choices }: Ground,
  world: World,
): Promise<BuildResult> {
  const { home, flags } = settings;
  const steps = plan.known.length + plan.pending.length;
  const progress = newProgress(flags.progress, flags.quiet === true, steps, "steps", world);
  const writer = await openWriter(settings, path, world);
  await using _database = writer.database;
  const run = newRun({
    runId: "",
    source: "",
    command: "rebuild",
    startedAt: toTimestamp(world.now()),
    rangeStart: null,
    rangeEnd: null,
    catalogVersion: writer.catalogVersion,
    toolVersion: readToolVersion(),
  });
  const like = { ...run, outcome: "done" as const };
  try {
    const context = { home, writer, present, choices, like, world, onProgress: progress.update };
    return await buildStore(context, plan);
  } finally {
    progress.end();
  }
}

// The new database, its copy for readers, and what the database spills while both are made.
const spaceFactor = 3;

/**
 * Converts a database of version 1 under the run lock, from the landed pages and, for pruned pages, from the old file,
 * which is moved aside. An interrupt changes nothing. Throws AuditlakeError if disk space is missing.
 */
export async function upgradeStore(
  settings: Settings,
  world: World,
  freeBytes: (folder: string) => number = readFreeBytes,
): Promise<void> {
  const { home } = settings;
  const print = printer(world);
  const bytes = statSync(home.warehouse).size;
  requireFreeSpace(home, bytes, freeBytes(home.root));
  print(
    `${home.warehouse} was created by an earlier auditlake; rebuilding it, which may take minutes`,
  );
  const { plan, built } = await rebuildStore(settings, { carryOver: true, force: false }, world);
  const landed = [...plan.known, ...plan.pending].filter(({ kind }) => kind === "load").length;
  print(
    `rebuilt ${home.warehouse}; reads from landing: ${landed}, from the old database: ${built.carried}`,
  );
}

function requireFreeSpace({ root, warehouse }: Home, bytes: number, free: number): void {
  const needed = bytes * spaceFactor;
  if (free >= needed) return;
  throw new AuditlakeError(
    `${warehouse} was created by an earlier auditlake and must be rebuilt, which needs about ${formatMegabytes(needed)} in ${root}, where ${formatMegabytes(free)} are free; nothing was changed; free disk space and run it again`,
  );
}

function formatMegabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1_000_000)} MB`;
}

function readFreeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
