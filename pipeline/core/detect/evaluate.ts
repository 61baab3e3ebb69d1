import type { DuckDBConnection } from "@duckdb/node-api";
import { getMessage } from "../../base/errors.ts";
import { runFile } from "../../base/sql/statements.ts";
import { runInTransaction } from "../../base/sql/transaction.ts";
import { count, nullable, queryRows, text } from "../../base/sql/typed-rows.ts";
import { toTimestamp } from "../../base/time/text.ts";
import type { Interval } from "../../base/time/periods.ts";
import type { World } from "../../base/world.ts";
import type { Detection } from "./detections.ts";
import { addBackground } from "./background.ts";
import { updateFindings } from "./findings.ts";
import { addNamedEvidence, type Ask, findHits, type Hit } from "./hits.ts";

// A detection is evaluated over the data added since its last evaluation, independent of the clock: hits whose
// window touches new event times are computed again. So a log that arrives in pieces gives the same findings as the
// whole.

const folder = "queries/detect";

/** How an evaluation runs reports, and the run that it belongs to. */
export type EvaluationContext = {
  readonly ask: Ask;
  readonly runId: string;
  readonly world: Pick<World, "now" | "signal">;
  /** Which detections are evaluated now; the others keep their hits. All if left out. */
  readonly isWanted?: (detection: Detection) => boolean;
  /** An evaluation over the whole log splits it into parts of a month or more with so many events; default 1,000,000. */
  readonly leastEvents?: number;
};

/** A detection that could not be evaluated; the next run evaluates it over the same time. */
export type FailedDetection = { readonly name: string; readonly error: string };

/**
 * Evaluates detections over new data and updates the findings. A failing detection does not stop the others. Returns
 * the failed detections.
 */
export async function evaluateDetections(
  connection: DuckDBConnection,
  detections: readonly Detection[],
  evaluating: EvaluationContext,
): Promise<FailedDetection[]> {
  const wanted = detections.filter(evaluating.isWanted ?? (() => true));
  const due = await readDue(connection);
  const isAnyWhole = wanted.some((each) => isWhole(each, due));
  const borders = isAnyWhole ? await readBorders(connection, evaluating.leastEvents) : [];
  const failed: FailedDetection[] = [];
  for (const detection of wanted) {
    evaluating.world.signal.throwIfAborted();
    const error = await evaluateDetection(connection, detection, { ...due, borders }, evaluating);
    if (error !== undefined) failed.push({ name: detection.name, error });
  }
  await updateFindings(connection, detections, evaluating);
  return failed;
}

const always: Interval = { startMs: Date.UTC(1, 0, 1), endMs: Date.UTC(9999, 0, 1) };

/** Whether a detection has something to be evaluated over, or one is not in force any more. */
export async function isAnyDue(
  connection: DuckDBConnection,
  detections: readonly Detection[],
): Promise<boolean> {
  const due = await readDue(connection);
  const isUpToDate = ({ name, fingerprint }: Detection): boolean => {
    const state = due.states.get(name);
    return state?.fingerprint === fingerprint && state.evaluatedChange >= due.newest;
  };
  // Without events there are no findings.
  if (due.newest === 0) return false;
  return due.states.size !== detections.length || !detections.every(isUpToDate);
}

type Change = { readonly changeId: number; readonly firstMs: number; readonly lastMs: number };
type State = { readonly fingerprint: string; readonly evaluatedChange: number };

type Due = {
  readonly changes: readonly Change[];
  readonly newest: number;
  readonly states: ReadonlyMap<string, State>;
  readonly prunedMs: number;
};

/** The times that split an evaluation over the whole log. */
type Borders = { readonly borders: readonly number[] };

async function readDue(connection: DuckDBConnection): Promise<Due> {
  const changeShape = { changeId: count, firstMs: count, lastMs: count };
  const changes = await queryRows(connection, `${folder}/changes.sql#due`, changeShape);
  const stateShape = { detection: text, fingerprint: text, evaluatedChange: count };
  const states = await queryRows(connection, `${folder}/changes.sql#states`, stateShape);
  const prunedShape = { prunedMs: nullable(count) };
  const [pruned] = await queryRows(connection, `${folder}/changes.sql#pruned`, prunedShape);
  return {
    changes,
    newest: Math.max(0, ...changes.map(({ changeId }) => changeId)),
    states: new Map(states.map((state) => [state.detection, state])),
    prunedMs: pruned!.prunedMs ?? always.startMs,
  };
}

// A detection reads the month before a span again: long spans take memory, short ones time.
async function readBorders(
  connection: DuckDBConnection,
  leastEvents = 1_000_000,
): Promise<number[]> {
  const shape = { startMs: count, events: count };
  const borders: number[] = [];
  let sum = 0;
  for (const { startMs, events } of await queryRows(
    connection,
    `${folder}/changes.sql#months`,
    shape,
  )) {
    if (sum >= leastEvents) {
      borders.push(startMs);
      sum = 0;
    }
    sum += events;
  }
  return borders;
}

function isWhole({ fingerprint, name }: Detection, { states }: Pick<Due, "states">): boolean {
  return states.get(name)?.fingerprint !== fingerprint;
}

/** The event times over which a detection has to be evaluated, merged where they touch. */
function planSpans(detection: Detection, due: Due & Borders): Interval[] {
  const { form, name } = detection;
  const { changes, states, prunedMs, borders } = due;
  const state = states.get(name);
  const spans = isWhole(detection, due)
    ? [always.startMs, ...borders].map((startMs, at) => {
        return { startMs, endMs: borders[at] ?? always.endMs };
      })
    : mergeSpans(
        changes
          .filter(({ changeId }) => changeId > state!.evaluatedChange)
          .map(({ firstMs, lastMs }) => ({
            startMs: firstMs,
            endMs: form.reachMs === "all" ? always.endMs : lastMs + form.reachMs + 1,
          })),
      );
  return spans
    .map(({ startMs, endMs }) => ({ startMs: Math.max(startMs, prunedMs), endMs }))
    .filter(({ startMs, endMs }) => startMs < endMs);
}

// In the order of their starts.
function mergeSpans(spans: readonly Interval[]): Interval[] {
  const merged: Interval[] = [];
  for (const span of spans) {
    const last = merged.at(-1);
    if (last === undefined || span.startMs > last.endMs) merged.push(span);
    else
      merged[merged.length - 1] = {
        startMs: last.startMs,
        endMs: Math.max(last.endMs, span.endMs),
      };
  }
  return merged;
}

// Resolves to what went wrong.
async function evaluateDetection(
  connection: DuckDBConnection,
  detection: Detection,
  due: Due & Borders,
  { ask, runId, world }: EvaluationContext,
): Promise<string | undefined> {
  const spans = planSpans(detection, due);
  const startMs = world.now();
  const range = {
    from: toTimestampOrNull(spans[0]?.startMs),
    to: toTimestampOrNull(spans.at(-1)?.endMs),
  };
  const recordOutcome = async (outcome: string, error: string | null, hits: readonly Hit[]) => {
    if (spans.length === 0) return;
    const known_hits = hits.filter(({ isKnown }) => isKnown).length;
    await runFile(connection, `${folder}/hits.sql#run`, {
      run_id: runId,
      detection: detection.name,
      ...range,
      hits: hits.length - known_hits,
      known_hits,
      milliseconds: Math.max(0, Math.round(world.now() - startMs)),
      outcome,
      error,
    });
  };
  try {
    const found: { span: Interval; hits: Hit[] }[] = [];
    for (const span of spans) {
      const hits = await findHits(ask, detection, span);
      found.push({ span, hits: await addEvidence(connection, ask, detection, hits) });
    }
    await runInTransaction(connection, async () => {
      for (const { span, hits } of found) await storeHits(connection, detection, span, hits);
      const { fingerprint, name } = detection;
      const state = { detection: name, fingerprint, change: due.newest };
      await runFile(connection, `${folder}/hits.sql#evaluated`, state);
      await recordOutcome(
        "done",
        null,
        found.flatMap(({ hits }) => hits),
      );
    });
    return undefined;
  } catch (error) {
    if (world.signal.aborted) throw error;
    await recordOutcome("failed", getMessage(error), []);
    return getMessage(error);
  }
}

// A user's own detection has no access to the writer's database: its hits have no background.
async function addEvidence(
  connection: DuckDBConnection,
  ask: Ask,
  detection: Detection,
  hits: readonly Hit[],
): Promise<Hit[]> {
  const known = hits.filter(({ isKnown }) => isKnown);
  const raising = hits.filter(({ isKnown }) => !isKnown);
  if (raising.length === 0) return known;
  const named = await addNamedEvidence(ask, detection, raising);
  if (!detection.report.isBuiltIn) return [...known, ...named];
  return [...known, ...(await addBackground(connection, detection, named))];
}

function toTimestampOrNull(ms: number | undefined): string | null {
  return ms === undefined || ms === always.startMs || ms === always.endMs ? null : toTimestamp(ms);
}

async function storeHits(
  connection: DuckDBConnection,
  { name }: Detection,
  { startMs, endMs }: Interval,
  hits: readonly Hit[],
): Promise<void> {
  const span = { since: toTimestamp(startMs), until: toTimestamp(endMs) };
  await runFile(connection, `${folder}/hits.sql#clear`, { detection: name, ...span });
  const raising = hits.filter(({ isKnown }) => !isKnown);
  if (raising.length === 0) return;
  await runFile(connection, `${folder}/hits.sql#incoming`);
  const appender = await connection.createAppender("incoming_hits", "main", "temp");
  for (const hit of raising) {
    // A detection with several limits may fire by one of them.
    const measures = JSON.stringify(hit.measures.filter(({ value, limit }) => value >= limit));
    for (const value of [hit.source, hit.key, hit.at, hit.windowStart ?? hit.at])
      appender.appendVarchar(value);
    for (const value of [hit.eventKeys.join(" "), hit.subject, measures, hit.message])
      appender.appendVarchar(value);
    if (hit.next === null) appender.appendNull();
    else appender.appendVarchar(hit.next);
    appender.endRow();
  }
  appender.closeSync();
  await runFile(connection, `${folder}/hits.sql#store`, { detection: name });
}
