import type { DuckDBConnection } from "@duckdb/node-api";
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  closeSync,
  renameSync,
  rmSync,
} from "node:fs";
import { dirname } from "node:path";
import { AuditlakeError } from "../errors.ts";
import { openPublished, type Limits } from "./open.ts";

/** What the published copy must hold; taken from the writer before it closes. */
export type Contents = {
  readonly events: bigint;
  readonly reads: bigint;
  readonly quarantined: bigint;
};

/** Counts the writer's tables, for the comparison after the copy. */
export async function contentsOf(connection: DuckDBConnection): Promise<Contents> {
  const count = async (table: string): Promise<bigint> => {
    const reader = await connection.runAndReadAll(`select count(*) from ${table}`);
    return reader.getRows()[0]![0] as bigint;
  };
  return {
    events: await count("event_rows"),
    reads: await count("window_reads"),
    quarantined: await count("quarantine"),
  };
}

/**
 * Copies the closed warehouse, verifies the copy and puts it in place by a rename: readers never wait and
 * never see a part. The warehouse must be checkpointed and closed.
 */
export async function publish(
  warehouse: string,
  published: string,
  expected: Contents,
  limits: Limits,
): Promise<void> {
  if (existsSync(`${warehouse}.wal`))
    throw new AuditlakeError(
      `${warehouse}.wal is still there after the load; run auditlake publish to try again`,
    );
  const copy = `${published}.tmp`;
  for (const path of [copy, `${copy}.wal`]) rmSync(path, { force: true });
  try {
    copyFileSync(warehouse, copy, constants.COPYFILE_FICLONE);
    await verify(copy, expected, limits);
    chmodSync(copy, 0o440);
    sync(copy);
    rmSync(`${published}.wal`, { force: true });
    renameSync(copy, published);
    sync(dirname(published));
  } catch (error) {
    rmSync(copy, { force: true });
    throw error;
  }
}

async function verify(copy: string, expected: Contents, limits: Limits): Promise<void> {
  await using database = await openPublished(copy, limits);
  const found = await contentsOf(database.connection);
  if (
    found.events !== expected.events ||
    found.reads !== expected.reads ||
    found.quarantined !== expected.quarantined
  )
    throw new AuditlakeError(
      `the copy of the warehouse holds ${found.events} events, expected ${expected.events}; the old published file stays; run auditlake publish`,
    );
}

function sync(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
