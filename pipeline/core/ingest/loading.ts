import { AuditlakeError, exitCode, getMessage } from "../../base/errors.ts";
import { appendSource, UnexpectedStatus } from "../source/faults.ts";
import type { OnProgress } from "../../base/terminal/progress.ts";
import { listConfirmable } from "../store/ledger/coverage.ts";
import { recordRun, type RunRow } from "../store/ledger/record.ts";
import type { ReadResult } from "../store/loading/read-facts.ts";
import { runInTransaction } from "../../base/sql/transaction.ts";
import { updateTraits } from "../load/verdict.ts";
import { type LoadResult, loadManifest } from "../load/read.ts";
import type { Plan } from "./plan.ts";
import type { FetchResult, FetchQueue, LandedFetch } from "./fetch-queue.ts";
import { formatSecond, toTimestamp } from "../../base/time/text.ts";
import type { NamedSource } from "../../base/home/settings.ts";
import { fault, type Notice, formatNotice } from "../../base/notice/notice.ts";
import { LastingPageError } from "../records/error.ts";
import { ClockError } from "../source/clock.ts";
import { DatabaseDown } from "../store/fault.ts";
import type { Interval } from "../../base/time/periods.ts";
import type { Home } from "../../base/home/layout.ts";
import type { Loader } from "../load/loader.ts";
import type { Client } from "../source/client.ts";
import type { World } from "../../base/world.ts";
import type { Writer } from "../writer/open.ts";

// Loads the fetches of a run from the disk into the database. Small ones that wait are committed together: each commit
// rewrites the last row group.

/** Fetches of one window in one run, at most, until two in a row agree. */
export const maxRounds = 5;

/** Loads what the fetches of a run give, wholly or not at all, until they are done. Throws what ends the run. */
export async function loadAll(own: Run, onProgress: OnProgress): Promise<void> {
  const { fetches, world } = own;
  let refusal: unknown;
  let done = 0;
  for (let fetched = await fetches.next(); fetched !== undefined; fetched = await fetches.next()) {
    const ready = await collectReady(own, fetched);
    const isLoaded = await loadTogether(own, ready);
    for (const one of isLoaded ? [] : ready) {
      const found = await loadAlone(own, one);
      refusal ??= found;
    }
    done += ready.length;
    onProgress(done, `${own.run.fetched} events`, done + fetches.left().length);
  }
  if (refusal !== undefined && !world.signal.aborted) throw refusal;
}

// Returns the error that makes further windows pointless; undefined if only this window failed, or none did.
async function loadAlone(own: Run, fetched: FetchResult): Promise<unknown> {
  const { fetches, failures, plan } = own;
  try {
    await loadOne(own, fetched);
    return undefined;
  } catch (error) {
    if (isFinal(error) && "manifest" in fetched) throw error;
    let refusal = isFinal(error) ? error : undefined;
    if (refusal === undefined) {
      failures.push({
        window: fetched.fetch.window,
        message: appendSource(getMessage(error), plan.source.name),
        isUnserved: fetched.fetch.isUnserved === true,
      });
      refusal = describeHopeless(error, own);
    }
    if (refusal !== undefined) fetches.stop();
    return refusal;
  }
}

/** A fetch, and those behind it that are on disk and whose rows were made with its own. */
async function collectReady(
  { loader, fetches }: Run,
  first: FetchResult,
): Promise<readonly FetchResult[]> {
  if (!("manifest" in first)) return [first];
  const made = await loader.prepare(first.manifest);
  const ready: FetchResult[] = [first];
  for (let next = fetches.findLanded(made); next !== undefined; next = fetches.findLanded(made))
    ready.push(next);
  return ready;
}

/**
 * Loads several fetches in one transaction. Returns false and stores nothing if there is only one fetch or one of them
 * fails.
 */
async function loadTogether(own: Run, ready: readonly FetchResult[]): Promise<boolean> {
  const landed = ready.filter((fetched) => "manifest" in fetched);
  if (landed.length < 2) return false;
  const done: { fetched: LandedFetch; run: RunRow; loaded: LoadResult }[] = [];
  try {
    await runInTransaction(own.writer.database.connection, async () => {
      for (const fetched of landed) {
        const run = done.at(-1)?.run ?? own.run;
        const isFollowed = fetched !== landed.at(-1);
        done.push({ fetched, ...(await loadFetch(own, fetched, run, isFollowed)) });
      }
    });
  } catch {
    // Each is then loaded separately, which shows the failing one.
    return false;
  }
  for (const { fetched, run, loaded } of done) await note(own, fetched, run, loaded);
  return true;
}

async function loadOne(own: Run, fetched: FetchResult): Promise<void> {
  if ("error" in fetched) throw fetched.error;
  const { run, loaded } = await loadFetch(own, fetched, own.run, false);
  await note(own, fetched, run, loaded);
}

function loadFetch(
  { home, writer, client, world, loader }: Run,
  { manifest }: LandedFetch,
  run: RunRow,
  isFollowed: boolean,
): Promise<{ readonly run: RunRow; readonly loaded: LoadResult }> {
  const getFinishTime = (): string => toTimestamp(world.now());
  const how = { counts: client.counts, finishedAt: getFinishTime, loader, isFollowed };
  return loadManifest(manifest, run, home, writer, how);
}

const mayAgreeNext: ReadonlySet<LoadResult["reason"]> = new Set(["once", "differs", "lacking"]);

// What follows for the run from a fetch that is stored.
async function note(
  own: Run,
  { fetch, manifest }: LandedFetch,
  run: RunRow,
  { state, reason, repeats, result, signs }: LoadResult,
): Promise<void> {
  const { writer, fetches, plan, disagreeing, unsplit } = own;
  own.run = run;
  const { window, round } = fetch;
  if (signs.length > 0) own.contradicted.set(window.startMs, { window, signs });
  else own.contradicted.delete(window.startMs);
  if (manifest.ended) plan.traits = updateTraits(plan.traits, manifest.ended);
  if (isUnsplit(plan, result)) unsplit.push(window);
  const isWaiting = state === "closed" && mayAgreeNext.has(reason);
  const isToConfirm = plan.source.confirm || window.startMs < plan.leavesBeforeMs;
  if (!(isWaiting && isToConfirm) && (repeats || result.ambiguous === 0)) return;
  if (round < maxRounds) {
    const { connection } = writer.database;
    const { name, audits } = plan.source;
    const due = await listConfirmable(connection, name, [window], audits.paging.size);
    fetches.again(fetch, due.get(window.startMs));
  } else if (state === "closed") disagreeing.push(window);
}

function isUnsplit({ source: { limits, audits } }: Plan, { pages }: ReadResult): boolean {
  return audits.window_params === null && pages.length > limits.read_pages;
}

export type Outcome = {
  readonly run: RunRow;
  readonly failures: readonly WindowFailure[];
  /** Closed windows that differed in each read: stored, but not finalized. */
  readonly disagreeing: readonly Interval[];
  /** Windows with more than one read is to hold, read whole since the service takes no window. */
  readonly unsplit: readonly Interval[];
  /** Windows whose newest read is incomplete by what the answers show. */
  readonly contradicted: readonly Contradiction[];
  /** Windows that an interrupt left to a later run. */
  readonly left: readonly Interval[];
  /** Whether the service gives the same answer for every window. */
  readonly ignoresWindows: boolean;
};

// Windows that are refused alike before any was read: the rest would be, too.
const alike = 3;

/** Describes why further windows are pointless: several were refused in the same way before any was read. */
export function describeHopeless(
  error: unknown,
  { failures, run, fetches }: Run,
): AuditlakeError | undefined {
  if (fetches.left().length === 0) return undefined;
  const isRefused = error instanceof UnexpectedStatus || error instanceof LastingPageError;
  // Each may name its own times.
  const kinds = new Set(failures.map(({ message }) => message.replaceAll(/\d+/g, "0")));
  if (!isRefused || run.windows > 0 || failures.length < alike || kinds.size > 1) return undefined;
  return new AuditlakeError(
    `${getMessage(error)}; ${failures.length} windows were refused in the same way, so the rest was not requested`,
  );
}

/** Ends a completed or interrupted run and prints its outcome. */
export async function finishRun(own: Run): Promise<Outcome> {
  const { fetches, failures, disagreeing, unsplit, world } = own;
  const left = fetches.left();
  const contradicted = [...own.contradicted.values()];
  const isWhole = failures.length === 0 && contradicted.length === 0;
  const outcome =
    world.signal.aborted && left.length > 0
      ? "interrupted"
      : isWhole
        ? "done"
        : own.run.windows > 0
          ? "partial"
          : "failed";
  const [incomplete] = listIncompleteNotices(contradicted, own.plan.source);
  const error = failures[0]?.message ?? (incomplete && formatNotice(incomplete));
  const run = await end(own, outcome, error ?? null);
  const ignoresWindows = fetches.ignoresWindows();
  return { run, failures, disagreeing, unsplit, contradicted, left, ignoresWindows };
}

/** The notices of incomplete data, one for each kind of contradiction. */
export function listIncompleteNotices(
  contradicted: readonly Contradiction[],
  { name }: NamedSource,
): Notice[] {
  const bySigns = Map.groupBy(contradicted, ({ signs }) => signs.join(", "));
  return [...bySigns].map(([signs, all]) => {
    const windows = formatWindows(all.map(({ window }) => window));
    const command = ["doctor", "--source", name];
    return fault("data_incomplete", { windows, source: name, signs }, command);
  });
}

export function formatWindows(windows: readonly Interval[]): string {
  const inOrder = windows.toSorted((a, b) => a.startMs - b.startMs);
  const [first, last] = [inOrder[0]!, inOrder.at(-1)!].map(({ startMs }) => formatSecond(startMs));
  return windows.length === 1
    ? `window ${first}`
    : `${windows.length} windows, ${first} to ${last}`;
}

export async function end(
  { run, client, writer, world }: Run,
  outcome: RunRow["outcome"],
  error: string | null,
): Promise<RunRow> {
  const row = { ...run, ...client.counts, outcome, error, finishedAt: toTimestamp(world.now()) };
  await recordRun(writer.database.connection, row);
  return row;
}

/**
 * Whether an error ends the run, rather than one window of it. Such are a refused key, a wrong clock, a database that
 * is down, and what was not foreseen.
 */
function isFinal(error: unknown): boolean {
  const isOurs = error instanceof AuditlakeError;
  if (!isOurs || error instanceof ClockError || error instanceof DatabaseDown) return true;
  return error.exitCode === exitCode.refused;
}

export type WindowFailure = {
  readonly window: Interval;
  readonly message: string;
  /** True for a second that the service does not serve, while it serves what lies around it. */
  readonly isUnserved: boolean;
};

/** A window whose newest read is incomplete by what the answers themselves show, and the names of these signs. */
type Contradiction = { readonly window: Interval; readonly signs: readonly string[] };

/** A run over windows, and what it has come to so far. */
export type Run = {
  readonly fetches: FetchQueue;
  readonly client: Client;
  readonly plan: Plan;
  readonly home: Home;
  readonly writer: Writer;
  readonly loader: Loader;
  readonly world: World;
  readonly failures: WindowFailure[];
  readonly disagreeing: Interval[];
  readonly unsplit: Interval[];
  /** By the start of the window. */
  readonly contradicted: Map<number, Contradiction>;
  run: RunRow;
};
