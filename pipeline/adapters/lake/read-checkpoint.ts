import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { makeTemporary } from "../../base/home/drafts.ts";
import { AuditlakeError } from "../../base/errors.ts";
import { openInstance } from "../../base/sql/instance.ts";
import { queryRows, text } from "../../base/sql/typed-rows.ts";
import { type Action, logFolder, readAction } from "./log.ts";
import type { Store } from "./store.ts";

const hint = z.object({ version: z.int().min(0) });

/** Returns the name of the file that names the newest checkpoint of a table. */
export function getHintName(table: string): string {
  return `${logFolder(table)}_last_checkpoint`;
}

/** Returns the version of the newest checkpoint from its hint file; undefined without a readable one. */
export async function findLastCheckpoint(store: Store, table: string): Promise<number | undefined> {
  const bytes = await store.get(getHintName(table));
  try {
    return bytes && hint.parse(JSON.parse(bytes.toString("utf8"))).version;
  } catch {
    return undefined;
  }
}

/** The actions of a checkpoint, which is a Parquet file; throws AuditlakeError, which names it, where it cannot be read. */
export async function readCheckpoint(name: string, bytes: Buffer): Promise<Action[]> {
  const folder = makeTemporary("checkpoint");
  const path = join(folder, "checkpoint.parquet");
  try {
    writeFileSync(path, bytes);
    const lines = await readLines(path).catch(() => undefined);
    if (lines !== undefined) return lines.map((line) => readAction(name, line));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  throw new AuditlakeError(
    `the checkpoint ${name} of the lake cannot be read; replace it with a valid copy, or remove it if all earlier log entries exist`,
  );
}

async function readLines(path: string): Promise<string[]> {
  const instance = await openInstance(":memory:", { threads: "1" });
  const connection = await instance.connect();
  try {
    const rows = await queryRows(
      connection,
      "queries/lake/checkpoint.sql#read",
      { action: text },
      { path },
    );
    return rows.map(({ action: line }) => line);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
