import { setTimeout as wait } from "node:timers/promises";
import type { DuckDBInstance } from "@duckdb/node-api";
import { isHeld, isReplay } from "./fault.ts";
import { openInstance } from "../../base/sql/instance.ts";

// Opens a database that has a write-ahead log beside it, and closes it again. A log that the database dies of
// (github.com/duckdb/duckdb-rs/issues/649) takes this process with it, and not the run. Its argument is what
// `replay.ts` gives, its exit code what that reads.
const { path, options, patienceMs } = JSON.parse(process.argv[2] ?? "{}") as {
  readonly path: string;
  readonly options: Readonly<Record<string, string>>;
  /** How long it waits for another process that has the file. */
  readonly patienceMs: number;
};
const pauseMs = 100;

async function openReplayed(tries: number): Promise<DuckDBInstance> {
  try {
    return await openInstance(path, options);
  } catch (error) {
    if (tries <= 0 || !isHeld(error)) throw error;
    await wait(pauseMs);
    return openReplayed(tries - 1);
  }
}

// The parent has ended and the next run needs the file. A normal exit would unload the library while one of its threads
// still writes.
process.stdin.on("end", () => process.kill(process.pid, "SIGKILL")).resume();
try {
  (await openReplayed(patienceMs / pauseMs)).closeSync();
} catch (error) {
  process.exitCode = isReplay(error) ? 2 : 1;
}
process.stdin.destroy();
