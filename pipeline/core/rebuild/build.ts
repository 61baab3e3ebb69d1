import type { DuckDBConnection } from "@duckdb/node-api";
import { AuditlakeError, exitCode } from "../../base/errors.ts";
import type { Home } from "../../base/home/layout.ts";
import { listUsers } from "../landing/documents.ts";
import type { Manifest } from "../landing/manifests.ts";
import { listUndos } from "../landing/undos.ts";
import { PageDamage } from "../landing/store.ts";
import { advanceCheckpoint, endAbandoned, type RunRow } from "../store/ledger/record.ts";
import {
  attachFormer,
  attachOld,
  carryFindings,
  carryRead,
  carryRuns,
  carrySums,
  carryTexts,
  type OldPage,
  findStoredRead,
  writeFormerPages,
} from "../store/carry.ts";
import { applyPrune, withdrawPrunes } from "../store/prune.ts";
import { recordSourceId } from "../store/ledger/coverage.ts";
import { runInTransaction } from "../../base/sql/transaction.ts";
import { storeUsers } from "../store/user-readings.ts";
import type { World } from "../../base/world.ts";
import type { PageBytes } from "../load/batch.ts";
import { toReadFacts, insertRead, type Loader, newLoader } from "../load/loader.ts";
import { bringAllRuns } from "../store/activation/runs.ts";
import { type AmbiguousReads, loadForItsRun, noteAmbiguity } from "../load/pending-reads.ts";
import { recordUndo } from "../load/undo-read.ts";
import { storeLanded } from "../load/policy-snapshot.ts";
import { storeMarks } from "../load/mark-windows.ts";
import type { Writer } from "../writer/open.ts";
import {
  carryAdvice,
  type Choices,
  type IdentifiedPlan,
  type RebuildPlan,
  type Step,
} from "./plan-rebuild.ts";
import { computeDigest, type PresentStore } from "./present.ts";
import { readFile } from "node:fs/promises";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { noteDue } from "../store/derived.ts";
import { loadFault } from "../store/fault.ts";
import { finishRead } from "../store/loading/finish.ts";
import type { ReadFacts } from "../store/loading/read-facts.ts";
import { runFile } from "../../base/sql/statements.ts";

export type RebuildContext = {
  readonly home: Home;
  readonly writer: Writer;
  readonly present: PresentStore | undefined;
  readonly choices: Choices;
  /** Template of a run's row, for runs that are rebuilt. */
  readonly like: RunRow;
  readonly world: World;
  readonly onProgress: (done: number, note: string) => void;
};

export type BuildResult = {
  /** Digest once all that the present database holds is in. */
  readonly digest: string;
  readonly carried: number;
  /** What was left out because it turned out to be damaged, or does not fit. */
  readonly leftOut: readonly string[];
  /** Windows with ambiguous reads that the present database had not loaded. */
  readonly ambiguous: readonly Manifest[];
};

// The text behind the second orders steps of the same one.
const secondLength = "2026-01-31 00:00:00".length;

/** Fills the new database: first what the present one holds, then what it has not loaded yet. */
export async function buildStore(
  context: RebuildContext,
  plan: IdentifiedPlan,
): Promise<BuildResult> {
  const { connection } = context.writer.database;
  for (const [source, idAt] of plan.ids) await recordSourceId(connection, source, idAt);
  const { lists, unfit } = listUsers(context.home.landing);
  for (const list of lists) await storeUsers(connection, list);
  await storeLanded(context.home.landing, connection);
  await bringAllRuns(context.home, connection);
  for (const undo of listUndos(context.home.landing)) await recordUndo(connection, undo);
  await using _old = await attachPresent(connection, context.present, plan);
  const loads = [...plan.known, ...plan.pending].flatMap((step) =>
    step.kind === "load" ? step.manifest : [],
  );
  const loader = newLoader(context.home, context.writer, () => loads);
  const tally: Tally = {
    done: 0,
    carried: 0,
    leftOut: unfit.map(formatUnfit),
    ambiguousReads: new Map(),
  };
  for (const step of plan.known) await take(step, { ...context, loader }, tally);
  if (context.present !== undefined) await carryRuns(connection);
  if (checkPresent(context)) {
    await carryTexts(connection);
    await carryFindings(connection);
    await carrySums(connection);
  }
  await endAbandoned(connection);
  await connection.run("checkpoint");
  const digest = await computeDigest(context.writer);
  // Had its run come to an end, it would be loaded.
  tally.ambiguousReads.clear();
  const killed = { ...context, like: { ...context.like, outcome: "interrupted" as const } };
  // A restored older database misses reads from before a prune that deleted their events.
  const prunes = await withdrawPrunes(connection, plan.pending.map(getReadTime));
  for (const step of plan.pending) await take(step, { ...killed, loader }, tally);
  for (const prune of prunes) await applyPrune(connection, prune);
  await connection.run("checkpoint");
  const ambiguous = [...tally.ambiguousReads.values()];
  return { digest, carried: tally.carried, leftOut: tally.leftOut, ambiguous };
}

function getReadTime(step: Step): string {
  return step.kind === "load" ? step.manifest.read_at : step.at;
}

async function attachPresent(
  connection: DuckDBConnection,
  present: PresentStore | undefined,
  { known }: RebuildPlan,
): Promise<AsyncDisposable | undefined> {
  if (present === undefined) return undefined;
  if (present.digest !== undefined) return attachOld(connection, present.path);
  const carried = known.flatMap((step) => (step.kind === "carry" ? step.readId : []));
  return attachFormer(connection, present.path, carried);
}

function formatUnfit(path: string): string {
  return `user list ${path}: an id in it has more than 64 bits`;
}

type Tally = {
  done: number;
  carried: number;
  readonly leftOut: string[];
  readonly ambiguousReads: AmbiguousReads;
};

type Loading = { readonly loader: Loader };

async function take(step: Step, context: RebuildContext & Loading, tally: Tally): Promise<void> {
  if (context.world.signal.aborted)
    throw new AuditlakeError(
      `interrupted after ${tally.done} steps; nothing was changed; run it again`,
      exitCode.interrupted,
    );
  if (step.kind === "load") await loadStep(step, context, tally);
  else if (step.kind === "carry") await carryStep(step, context, tally);
  else if (step.kind === "mark") await storeMarks(context.writer.database.connection, [step.mark]);
  else await applyPrune(context.writer.database.connection, step.prune, checkPresent(context));
  context.onProgress((tally.done += 1), step.at.slice(0, secondLength));
}

// Version 1 retained nothing of pruned data.
function checkPresent({ present }: RebuildContext): "there" | undefined {
  return present?.digest === undefined ? undefined : "there";
}

async function loadStep(
  step: Extract<Step, { kind: "load" }>,
  context: RebuildContext & Loading,
  tally: Tally,
): Promise<void> {
  const { home, writer, choices, like, loader } = context;
  try {
    const loaded = await loadForItsRun(step.manifest, like, home, writer, loader);
    noteAmbiguity(tally.ambiguousReads, step.manifest, loaded);
  } catch (error) {
    if (!(error instanceof PageDamage)) throw error;
    const readId = step.manifest.read_id;
    const isHeld = context.present?.reads.has(readId) === true;
    if (choices.carryOver && isHeld)
      return carryStep({ ...step, kind: "carry", readId }, context, tally);
    if (!choices.force)
      throw new AuditlakeError(
        `nothing was changed: ${error.message}${isHeld ? `; ${carryAdvice}` : ""}`,
      );
    tally.leftOut.push(error.message);
  }
}

async function carryStep(
  { readId, manifest }: Extract<Step, { kind: "carry" }>,
  { home, writer, present }: RebuildContext,
  tally: Tally,
): Promise<void> {
  const { connection } = writer.database;
  const held = await findStoredRead(connection, readId);
  if (held === undefined)
    throw new AuditlakeError(`no database contains read ${readId} any longer`);
  const facts = manifest === undefined ? held.facts : toReadFacts(manifest);
  await runInTransaction(connection, async () => {
    if (present?.digest === undefined) await carryFormerRead(home, writer, facts);
    else await carryRead(connection, facts);
    if (held.checkpointFrom !== undefined)
      await advanceCheckpoint(connection, facts, manifest?.range_start ?? held.checkpointFrom);
  });
  tally.carried += 1;
}

// What version 1 stored was read whole, or confirmed, by its own rules: nothing of it waits for another read.
const stored = { repeats: true };

/**
 * Copies a read from the attached database of version 1, in the transaction of the caller. Its events are loaded like
 * records, so that they get present keys. Its quarantined records and ledger rows are copied.
 */
async function carryFormerRead(home: Home, writer: Writer, read: ReadFacts): Promise<void> {
  const { connection } = writer.database;
  const folder = join(home.staging, "former");
  try {
    const pages = await writeFormerPages(connection, read.readId, folder);
    const inserted = await insertRead(home, writer, read, {
      pages: readPages(pages),
      shape: { recordsAt: null },
      maxRecordBytes: Number.POSITIVE_INFINITY,
    });
    const getStoredVerdict = (): Promise<typeof stored> => Promise.resolve(stored);
    const { brought } = await finishRead(connection, read, inserted, getStoredVerdict);
    await noteDue(connection, read.readId, brought);
    await runFile(connection, "queries/rebuild/carried.sql#rest", { read_id: read.readId });
  } catch (error) {
    throw loadFault(error);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function* readPages(pages: readonly OldPage[]): AsyncGenerator<PageBytes> {
  for (const { sha256, bytes, file } of pages)
    yield { page: { sha256, bytes, format: "ndjson" }, bytes: await readFile(file) };
}
