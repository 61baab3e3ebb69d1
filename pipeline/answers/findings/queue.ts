import type { DuckDBConnection } from "@duckdb/node-api";
import { severities } from "../../../schemas/detections.ts";
import type { Severity } from "../../base/report/detection.ts";
import {
  count,
  nullable,
  oneOf,
  queryRows,
  text,
  type TypedRow,
} from "../../base/sql/typed-rows.ts";
import type { Interval } from "../../base/time/periods.ts";
import { toTimestamp } from "../../base/time/text.ts";

/** States of findings as pages show them. */
export const shownStates = ["new", "acknowledged", "closed", "suppressed", "withdrawn"] as const;
export type ShownState = (typeof shownStates)[number];

/** What a list of the queue may ask for, with the states that each includes. */
export const queueStates = {
  open: ["new", "acknowledged"],
  new: ["new"],
  acknowledged: ["acknowledged"],
  closed: ["closed"],
  suppressed: ["suppressed"],
  withdrawn: ["withdrawn"],
  all: shownStates,
} as const satisfies Readonly<Record<string, readonly ShownState[]>>;
export type QueueState = keyof typeof queueStates;

/** Which findings are listed; all of them must match. */
export type QueueFilter = {
  readonly state: QueueState;
  /** At least this one. */
  readonly severity: Severity;
  readonly detection?: string;
  readonly subject?: string;
  /** In subject, sentence, title, detection or technique. */
  readonly search?: string;
  readonly source?: string;
  /** When the findings had hits. */
  readonly during: Interval;
};

const file = "queries/pages/queue.sql";

const findingShape = {
  findingId: text,
  detection: text,
  severity: oneOf(severities),
  title: text,
  message: text,
  source: text,
  subjectKind: text,
  subject: text,
  key: text,
  firstAt: text,
  lastAt: text,
  raisedAt: text,
  hits: count,
  measures: text,
  state: oneOf(shownStates),
  closedAs: nullable(text),
  attack: text,
  total: count,
};

/** A finding of the queue; times in UTC. */
export type QueuedFinding = TypedRow<typeof findingShape>;

function bindFilter({ during, severity, source, detection, subject, search }: QueueFilter) {
  return {
    source: source ?? null,
    detection: detection ?? null,
    subject: subject ?? null,
    search: search ?? null,
    since: toTimestamp(during.startMs),
    until: toTimestamp(during.endMs),
    least: severities.indexOf(severity),
  };
}

/** Reads a page of the queue: the most severe first, new before acknowledged, then the newest. */
export async function readQueue(
  connection: DuckDBConnection,
  filter: QueueFilter,
  { skipped, most }: { readonly skipped: number; readonly most: number },
): Promise<QueuedFinding[]> {
  const states = queueStates[filter.state].join(",");
  const values = { ...bindFilter(filter), states, skipped, most };
  return queryRows(connection, `${file}#rows`, findingShape, values);
}

const stateShape = {
  state: oneOf(shownStates),
  findings: count,
  outside: count,
  added: count,
  oldestAt: nullable(text),
};

/** Findings of one state within a time: how many, how many are new, and since when the oldest is there. */
export type StateCount = TypedRow<typeof stateShape>;

export async function countStates(
  connection: DuckDBConnection,
  filter: QueueFilter,
  newSinceMs: number,
): Promise<StateCount[]> {
  const values = { ...bindFilter(filter), new_since: toTimestamp(newSinceMs) };
  return queryRows(connection, `${file}#counts`, stateShape, values);
}

const dayShape = { day: text, severity: oneOf(severities), findings: count };

/** Counts findings per day of their first hit and severity. */
export async function countDays(
  connection: DuckDBConnection,
  filter: QueueFilter,
): Promise<TypedRow<typeof dayShape>[]> {
  const values = { ...bindFilter(filter), states: queueStates[filter.state].join(",") };
  return queryRows(connection, `${file}#days`, dayShape, values);
}

const decidedShape = { newestAt: nullable(text), acknowledged: nullable(text) };

/** What a page knows of decisions: the time of the newest, and the findings that a person has just acknowledged. */
export async function readDecided(
  connection: DuckDBConnection,
  user: string,
  sinceMs: number,
): Promise<{ readonly newestAt: string; readonly acknowledged: readonly string[] }> {
  const values = { user, since: toTimestamp(sinceMs) };
  const [row] = await queryRows(connection, `${file}#decided`, decidedShape, values);
  return {
    newestAt: row?.newestAt ?? "",
    acknowledged: row?.acknowledged?.split(",") ?? [],
  };
}

const shape = { findingId: text, decidedBy: text, decidedAt: text, decision: text };

/** Reads the decisions on the state of findings after a moment, as the database writes it; empty for all. */
export async function readQueueDecisions(
  connection: DuckDBConnection,
  ids: readonly string[],
  since: string,
): Promise<TypedRow<typeof shape>[]> {
  return queryRows(connection, "queries/pages/queue.sql#overtaken", shape, {
    ids: ids.join(","),
    since: since === "" ? null : since,
  });
}
