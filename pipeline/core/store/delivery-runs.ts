import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { z } from "zod";
import { makeSecureFolder } from "../../base/home/durable.ts";
import { appendLines } from "../../base/home/growing-file.ts";
import type { Home } from "../../base/home/layout.ts";
import { runFile } from "../../base/sql/statements.ts";

const outcomes = ["delivered", "partial", "stopped", "failed", "interrupted"] as const;
const amount = z.int().min(0);

const runSchema = z.object({
  run_id: z.string(),
  verb: z.enum(["export", "activate"]),
  /** Of the report or activation. */
  name: z.string(),
  target: z.string(),
  connector: z.string(),
  delivery: z.string().nullable(),
  due_at: z.string().nullable(),
  started_at: z.string(),
  finished_at: z.string(),
  /** `stopped` by the guard of an activation. */
  outcome: z.enum(outcomes),
  exit_code: z.int(),
  rows_read: amount,
  accepted: amount,
  refused: amount,
  doubtful: amount,
  error: z.string().nullable(),
});

/** One recorded run of an export or activation; times are ISO text in UTC. */
export type DeliveryRun = z.infer<typeof runSchema>;

function getRunsFile({ root }: Home): string {
  return join(root, "deliveries", "runs.ndjson");
}

/** Records a run in the home, on the disk when it resolves; the database gets it from there. */
export async function recordDelivery(home: Home, run: DeliveryRun): Promise<void> {
  await makeSecureFolder(join(home.root, "deliveries"), home.root);
  await appendLines(getRunsFile(home), [JSON.stringify(run)]);
}

/** How much the home has on record: more, once another run was recorded. */
export function countRecordedBytes(home: Home): number {
  return statSync(getRunsFile(home), { throwIfNoEntry: false })?.size ?? 0;
}

/** Copies the recorded runs of the home into the warehouse; existing rows stay. */
export async function bringDeliveryRuns(home: Home, connection: DuckDBConnection): Promise<void> {
  const path = getRunsFile(home);
  if (existsSync(path)) await runFile(connection, "queries/deliveries/bring.sql", { path });
}

/** The last run of each export and activation, by verb, name and target; also of those the database has not yet. */
export function listLastDeliveries(home: Home): DeliveryRun[] {
  const path = getRunsFile(home);
  const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
  const last = new Map<string, DeliveryRun>();
  for (const run of lines.flatMap(parseRun)) last.set(`${run.verb} ${run.name} ${run.target}`, run);
  return [...last.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, run]) => run);
}

function parseRun(line: string): DeliveryRun[] {
  try {
    return [runSchema.parse(JSON.parse(line))];
  } catch {
    return [];
  }
}
