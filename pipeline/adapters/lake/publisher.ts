import { type Notice } from "../../base/notice/notice.ts";
import { formatCommand } from "../../base/command-line.ts";
import type { DuckDBConnection } from "@duckdb/node-api";
import { AuditlakeError, exitCode } from "../../base/errors.ts";
import type { Committer } from "./commit.ts";
import type { LakeTable } from "./tables.ts";

export type Publisher = Committer & {
  /** On the file that readers open. */
  readonly connection: DuckDBConnection;
  /** Opens another connection to that file; the caller closes it. */
  readonly connect: () => Promise<DuckDBConnection>;
  readonly tables: readonly LakeTable[];
  /** An empty folder for files on their way. */
  readonly folder: string;
  /** Compares the rows of every day, also of unchanged days, and the bytes of every file. */
  readonly isFull: boolean;
  /** The SHA-256 of each file by the home's own record, where every file is looked at. */
  readonly recorded?: ReadonlyMap<string, string>;
  readonly isDryRun: boolean;
  readonly signal: AbortSignal;
  /** Prints a warning before anything is changed. */
  readonly warn: (notice: Notice) => void;
  /** Takes the files that lie in the lake before the log names them, for the publisher's own record. */
  readonly record: (files: readonly PutFile[]) => Promise<void>;
};

export type PutFile = {
  readonly table: string;
  readonly path: string;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
};

/** Days of a table whose rows are rewritten, and days whose files are removed. */
export type Changes = {
  readonly written: readonly string[];
  readonly gone: readonly string[];
};

/** What was done about a table, or would be in a dry run. */
export type PublishedTable = Changes & {
  readonly table: string;
  readonly version: number;
  readonly files: readonly PutFile[];
};

/** Throws AuditlakeError (exit code 130) if a publish was interrupted: readers do not see its tables yet. */
export function refuseInterrupted({
  signal,
  isDryRun,
}: Pick<Publisher, "signal" | "isDryRun">): void {
  refuseAborted(
    signal,
    isDryRun
      ? "nothing was changed; run it again"
      : `the lake has the finished tables, but no new publication; run ${formatCommand("lake", "publish")} again`,
  );
}

/** Throws AuditlakeError (exit code 130) if interrupted, with the progress of the work so far. */
export function refuseAborted(signal: AbortSignal, standing: string): void {
  if (signal.aborted) throw new AuditlakeError(`interrupted: ${standing}`, exitCode.interrupted);
}
