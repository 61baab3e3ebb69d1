import type { DuckDBConnection } from "@duckdb/node-api";
import { count, nullable, queryRows, text } from "../../base/sql/typed-rows.ts";
import { toTimestamp } from "../../base/time/text.ts";

const shape = {
  detection: text,
  runId: nullable(text),
  outcome: nullable(text),
  error: nullable(text),
  findings: count,
  hits: count,
  openFindings: count,
  suppressed: count,
};

/** When a detection was last evaluated, how that went, and its findings of the last 30 days. */
export type DetectionState = {
  /** As RFC 3339; undefined where it was not evaluated over anything yet. */
  readonly evaluatedAt: string | undefined;
  readonly outcome: string | null;
  readonly error: string | null;
  readonly findings: number;
  readonly hits: number;
  readonly openFindings: number;
  readonly suppressed: number;
};

const daysCounted = 30;
const dayMs = 86_400_000;

/** Reads the state of each detection that was evaluated, by name. */
export async function readDetectionStates(
  connection: DuckDBConnection,
  source: string | undefined,
  nowMs: number,
): Promise<Map<string, DetectionState>> {
  const rows = await queryRows(connection, "queries/pages/detections.sql", shape, {
    since: toTimestamp(nowMs - daysCounted * dayMs),
    source: source ?? null,
  });
  return new Map(
    rows.map(({ detection, runId, ...state }) => [
      detection,
      { ...state, evaluatedAt: readRunTime(runId ?? "") },
    ]),
  );
}

// The id of a run begins with its start.
function readRunTime(runId: string): string | undefined {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)/.exec(runId) ?? [];
  const [year, month, day, hour, minute, second] = parts;
  return year === undefined ? undefined : `${year}-${month}-${day}T${hour}:${minute}:${second}Z`;
}
