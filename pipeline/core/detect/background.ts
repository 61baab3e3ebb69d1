import type { DuckDBConnection } from "@duckdb/node-api";
import { quoteName } from "../../../schemas/quote.ts";
import { bindQuestion } from "../../base/sql/bind.ts";
import { count, nullable, queryRows, text } from "../../base/sql/typed-rows.ts";
import { runFile } from "../../base/sql/statements.ts";
import type { Detection } from "./detections.ts";
import { type Hit, spanHits } from "./hits.ts";

// With its limits at 1 a detection gives every event that it counts. Those in the window of a hit are its evidence, and
// what it measured in the 30 days before says what is usual.

const file = "queries/detect/background.sql";
const usualMs = 30 * 86_400_000;

/**
 * Adds to hits the events in their windows, and to their measures the usual amount: the most of the same key in the 30
 * days before, and the median of the others' maximum. Hits of a detection without limits stay unchanged.
 */
export async function addBackground(
  connection: DuckDBConnection,
  detection: Detection,
  hits: readonly Hit[],
): Promise<Hit[]> {
  const { form } = detection;
  if (hits.length === 0 || form.measures.length === 0) return [...hits];
  await noteHits(connection, hits);
  const { startMs, endMs } = spanHits(hits);
  await findCounted(connection, detection, startMs - usualMs, endMs);
  const reach = { reach_ms: form.reachMs === "all" ? 0 : form.reachMs };
  const events = form.window === undefined ? new Map() : await readEvents(connection);
  const usual = await readUsual(connection, reach);
  return hits.map((hit, number) => ({
    ...hit,
    eventKeys: [...new Set([...hit.eventKeys, ...(events.get(number) ?? [])])],
    measures: hit.measures.map((measure, at) => {
      const { own = null, others = null } = usual.get(`${at + 1} ${hit.key}`) ?? {};
      return { ...measure, usual: own, others };
    }),
  }));
}

async function noteHits(connection: DuckDBConnection, hits: readonly Hit[]): Promise<void> {
  await runFile(connection, `${file}#hits`);
  const appender = await connection.createAppender("raising_hits", "main", "temp");
  for (const [number, { key, at, windowStart }] of hits.entries()) {
    appender.appendInteger(number);
    appender.appendVarchar(key);
    appender.appendVarchar(at);
    appender.appendVarchar(windowStart ?? at);
    appender.endRow();
  }
  appender.closeSync();
}

// The table `counted_events`: key, time, event and measures of all that is counted.
async function findCounted(
  connection: DuckDBConnection,
  { form, parameters, report }: Detection,
  startMs: number,
  endMs: number,
): Promise<void> {
  const limits = form.measures.map(({ limit }) => [limit, { ...parameters[limit]!, value: "1" }]);
  const values = {
    ...parameters,
    ...Object.fromEntries(limits),
    since: { type: "timestamp", value: startMs },
    until: { type: "timestamp", value: endMs },
  } as const;
  const statement = bindQuestion({ sql: report.sql, values });
  const key = form.key.map((name) => `'${name}', cast(${quoteName(name)} as varchar)`).join(", ");
  const measures = form.measures.map(({ column }) => `cast(${quoteName(column)} as double)`);
  // Background is added to detections of the package alone: their statements need no check.
  const prepared = await connection.prepare(
    `create or replace temp table counted_events as
      select cast(json_object(${key}) as varchar) as key, ${quoteName(form.at)} as hit_time, event_key,
             [${measures.join(", ")}] as measures
      from (\n${statement.sql}\n)`,
  );
  for (const [name, { type, value }] of Object.entries(statement.values))
    prepared.bind({ [name]: value }, { [name]: type });
  await prepared.run();
}

type Reach = { readonly reach_ms: number };

async function readEvents(connection: DuckDBConnection): Promise<Map<number, string[]>> {
  const shape = { hitNumber: count, eventKeys: text };
  const rows = await queryRows(connection, `${file}#events`, shape);
  return new Map(rows.map(({ hitNumber, eventKeys }) => [hitNumber, eventKeys.split(" ")]));
}

type Usual = { readonly own: number | null; readonly others: number | null };

// By the number of the measure and the key.
async function readUsual(connection: DuckDBConnection, reach: Reach): Promise<Map<string, Usual>> {
  const shape = { measure: count, key: text, own: nullable(Number), others: nullable(Number) };
  const rows = await queryRows(connection, `${file}#usual`, shape, reach);
  return new Map(
    rows.map(({ measure, key, own, others }) => [`${measure} ${key}`, { own, others }]),
  );
}
