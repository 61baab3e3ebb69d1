import { DuckDBInstance } from "@duckdb/node-api";
import { isReplay } from "./open-fault.ts";

// Opens a database that has a write-ahead log beside it, and closes it again. A log that the database dies of
// (github.com/duckdb/duckdb-rs/issues/649) takes this process with it, and not the run. Its argument is what
// `replay.ts` gives, its exit code what that reads.
const { path, options } = JSON.parse(process.argv[2] ?? "{}") as {
  readonly path: string;
  readonly options: Readonly<Record<string, string>>;
};
try {
  const instance = await DuckDBInstance.create(path, options);
  instance.closeSync();
} catch (error) {
  process.exitCode = isReplay(error) ? 2 : 1;
}
