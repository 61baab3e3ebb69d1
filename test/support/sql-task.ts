import type { SandboxTask } from "../../pipeline/core/sandbox/confined-process.ts";
import { getEntryPath } from "./started.ts";

/** A statement as `auditlake sql` asks it. */
export function sqlTask(database: string, sql: string): SandboxTask {
  return {
    database,
    sql,
    values: {},
    result: "rows",
    isReport: false,
    source: undefined,
    spill: undefined,
    childFile: getEntryPath("pipeline/answers/ask/query-child"),
  };
}
