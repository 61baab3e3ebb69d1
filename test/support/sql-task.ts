import { dirname, join } from "node:path";
import { queryProcess } from "../../pipeline/ask/process.ts";
import type { SandboxTask } from "../../pipeline/sandbox/process.ts";

// Its process starts in half the time where a run of the suite has built the program.
const program = process.env["AUDITLAKE_TEST_PROGRAM"];
const childFile = program === undefined ? queryProcess : join(dirname(program), "ask", "child.js");

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
    childFile,
  };
}
