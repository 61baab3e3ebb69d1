import type { Settings } from "../../base/home/settings.ts";
import type { MemoryLimits, QueryLimits } from "../../core/sandbox/limits.ts";
import { runSandboxed, type Answer } from "../../core/sandbox/query.ts";
import type { Question } from "../../base/sql/question.ts";
import { readLimits } from "../../core/store/limits.ts";
import type { World } from "../../base/world.ts";
import { queryProcess } from "./query-process.ts";

/** A statement of somebody's own; a report takes parameters, and of any other only the plan may be wanted. */
export type AskedStatement = Question & {
  readonly isReport: boolean;
  readonly result?: "rows" | "plan";
};

/**
 * Runs a statement on the published data in a process of its own, which reads that and nothing else, with the memory of
 * the configuration. Throws what `runSandboxed` throws.
 */
export function askStatement(
  { sql, values, isReport, result = "rows" }: AskedStatement,
  limits: Omit<QueryLimits, "memoryLimit" | "threads"> & Partial<MemoryLimits>,
  { home, config, flags: { source } }: Settings,
  world: World,
): Promise<Answer> {
  const how = { isReport, source, spill: undefined, childFile: queryProcess };
  const task = { database: home.published, sql, values, result, ...how };
  return runSandboxed(task, { ...readLimits(config), ...limits }, world);
}
