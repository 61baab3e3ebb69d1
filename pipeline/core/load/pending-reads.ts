import { fault, type Notice, warning } from "../../base/notice/notice.ts";
import { formatCommand } from "../../base/command-line.ts";
import { AuditlakeError, getMessage } from "../../base/errors.ts";
import type { Home } from "../../base/home/layout.ts";
import {
  backUpManifest,
  isUnstorable,
  isWindowUnstorable,
  type Manifest,
  readManifests,
  unstorableText,
} from "../landing/manifests.ts";
import { PageDamage } from "../landing/store.ts";
import { listUndoneReads } from "../landing/undos.ts";
import { DatabaseDown } from "../store/fault.ts";
import { listLoadedReads, type RunRow, readStoredRun } from "../store/ledger/record.ts";
import { applyPrune, withdrawPrunes } from "../store/prune.ts";
import type { World } from "../../base/world.ts";
import { type Loader, newLoader } from "./loader.ts";
import { stampText } from "../../base/time/text.ts";
import { type LoadResult, loadManifest } from "./read.ts";
import type { Writer } from "../writer/open.ts";

/** Outcome of loading the reads that an earlier run left. */
export type ResumeResult = {
  readonly loaded: number;
  /** Records of them that cannot be read. */
  readonly quarantined: number;
  readonly failures: readonly Notice[];
  /** Reads that need a second read of their window. */
  readonly ambiguous: readonly Manifest[];
};

/**
 * Loads reads that were landed but not loaded, for example by a killed run. A failing read does not block the other
 * reads or the new run. An interrupt leaves the rest to the next run.
 */
export async function loadPending(
  home: Home,
  like: RunRow,
  writer: Writer,
  world: World,
): Promise<ResumeResult> {
  const known = await listLoadedReads(writer.database.connection);
  const { manifests, damaged } = readManifests(home.landing);
  const undone = listUndoneReads(home.landing);
  const pending = manifests.filter(({ read_id: id }) => !known.has(id) && !undone.has(id));
  const killed = { ...like, outcome: "interrupted" as const };
  const failures = damaged.map((readId) =>
    newUnloadedNotice(describeDamagedManifest(home, readId, known.has(readId), world.now())),
  );
  const ambiguousReads: AmbiguousReads = new Map();
  const { connection } = writer.database;
  const readAts = pending.map(({ read_at: readAt }) => readAt);
  const prunes = readAts.length === 0 ? [] : await withdrawPrunes(connection, readAts);
  let [loaded, quarantined] = [0, 0];
  const loader = newLoader(home, writer, () => pending);
  for (const manifest of pending) {
    if (world.signal.aborted) break;
    if (isUnstorable(manifest)) {
      failures.push(
        newUnloadedNotice(
          `landed read ${manifest.read_id} ${unstorableText}; ${giveUp(home, manifest, world)}`,
        ),
      );
      continue;
    }
    try {
      const read = await loadForItsRun(manifest, killed, home, writer, loader);
      noteAmbiguity(ambiguousReads, manifest, read);
      loaded += 1;
      quarantined += read.result.quarantined;
    } catch (error) {
      if (error instanceof DatabaseDown) throw error;
      const isForeseen = error instanceof AuditlakeError;
      const what = `landed read ${manifest.read_id}: ${getMessage(error)}${isForeseen ? "" : "; please report this"}`;
      failures.push(
        newUnloadedNotice(
          error instanceof PageDamage ? `${what}; ${giveUp(home, manifest, world)}` : what,
        ),
      );
    }
  }
  for (const prune of prunes) await applyPrune(connection, prune);
  return { loaded, quarantined, failures, ambiguous: [...ambiguousReads.values()] };
}

// A read that can never be loaded must not fail all later runs, so its manifest is quarantined.
function giveUp({ landing }: Home, manifest: Manifest, world: World): string {
  const { read_id: readId, source, window_start: start, window_end: end } = manifest;
  const backup = backUpManifest(landing, readId, world.now());
  const again =
    start === null
      ? "re-import its file"
      : isWindowUnstorable(manifest)
        ? "such a window is no longer read"
        : manifest.nightly
          ? `the next scheduled run of source ${source}, or this one, reads its window again`
          : `run ${formatCommand("ingest", "--source", source, "--from", stampText(start), "--to", stampText(end ?? start))} to re-read it`;
  return `its manifest was moved to ${backup}; ${again}`;
}

function describeDamagedManifest(
  { landing }: Home,
  readId: string,
  isLoaded: boolean,
  nowMs: number,
): string {
  const backup = backUpManifest(landing, readId, nowMs);
  return isLoaded
    ? `the manifest of read ${readId} cannot be read and was moved to ${backup}; its events are in the database, and rebuild --carry-over takes them from there`
    : `the manifest of read ${readId} cannot be read and was moved to ${backup}; if it was a backfill or an import, run that again`;
}

/**
 * Loads a landed read and adds it to the run that read it; the run ends with its last read or later. `like` gives the
 * missing values of that run's row.
 */
export async function loadForItsRun(
  manifest: Manifest,
  like: RunRow,
  home: Home,
  writer: Writer,
  loader?: Loader,
): Promise<LoadResult> {
  const stored = await readStoredRun(writer.database.connection, manifest.run_id);
  const run = { ...toRunRow(manifest, like), ...stored };
  const ends = [stored?.finishedAt ?? "", manifest.read_at].sort();
  const how = { counts: run, finishedAt: () => ends[1]!, loader };
  return (await loadManifest(manifest, run, home, writer, how)).loaded;
}

function toRunRow(manifest: Manifest, like: RunRow): RunRow {
  const { run_id: runId, source, read_at: startedAt } = manifest;
  const isBackfill = manifest.command === "ingest" && !manifest.nightly;
  const command = isBackfill ? "backfill" : manifest.command;
  return { ...like, runId, source, command, startedAt, rangeStart: null, rangeEnd: null };
}

/**
 * Windows whose newest read has equal records on different pages. Some of these records are withheld until a second
 * read repeats them. The run does that read itself; after a kill, the next run that loads the first read does it.
 */
export type AmbiguousReads = Map<string, Manifest>;

function newUnloadedNotice(why: string): Notice {
  return fault("read_unloaded", { why });
}

/** Notes whether the window of a loaded read is ambiguous. */
export function noteAmbiguity(
  ambiguousReads: AmbiguousReads,
  manifest: Manifest,
  { repeats, result }: LoadResult,
): void {
  const { source, window_start: start, window_end: end } = manifest;
  // The records of a file are all certain.
  if (start === null) return;
  const window = [source, start, end].join();
  if (result.ambiguous > 0 && !repeats) ambiguousReads.set(window, manifest);
  else ambiguousReads.delete(window);
}

/** The warning of an ambiguous window, with what to do if no later run reads it again. */
export function buildAmbiguityNotice(
  { source, window_start: start, window_end: end }: Manifest,
  isReadNow = false,
): Notice {
  const [from, to] = [stampText(start!), stampText(end!)];
  const command = ["ingest", "--source", source, "--from", from, "--to", to];
  return warning("window_ambiguous", { source, from, to, is_read_now: isReadNow }, command);
}
