import type { DuckDBConnection } from "@duckdb/node-api";
import type { Home } from "../../base/home/layout.ts";
import {
  type Manifest,
  listMissingPages,
  readManifest,
  getMaxRecordBytes,
} from "../landing/manifests.ts";
import type { LandedUndo } from "../landing/undos.ts";
import { queryFile, runFile } from "../../base/sql/statements.ts";
import { runInTransaction } from "../../base/sql/transaction.ts";
import { foldAll } from "../store/derived.ts";
import { readSourceId } from "../store/ledger/coverage.ts";
import { finishRead } from "../store/loading/finish.ts";
import type { Writer } from "../writer/open.ts";
import { toReadFacts, insertRead, newPageCache } from "./loader.ts";
import { judgeRead } from "./verdict.ts";

/**
 * Counts of an undo: events of the import, events that stay because other reads have shown them, and its quarantined
 * records.
 */
export type UndoResult = {
  readonly events: number;
  readonly kept: number;
  readonly quarantined: number;
};

/**
 * Finds other reads that may have shown events of an import, oldest first. `manifest` is undefined if the pages are
 * missing.
 */
export async function findOthers(
  landing: string,
  connection: DuckDBConnection,
  readId: string,
): Promise<{ readId: string; manifest: Manifest | undefined }[]> {
  const rows = await queryFile(connection, "queries/undo/find.sql#others", { read_id: readId });
  return rows.map((row) => {
    const id = String(row["read_id"]);
    const manifest = readManifest(landing, id);
    const isThere = manifest !== undefined && listMissingPages(landing, [manifest]).length === 0;
    return { readId: id, manifest: isThere ? manifest : undefined };
  });
}

/**
 * Takes an import back in one transaction: deletes its events, then loads from other reads the events that they have
 * shown, too. The result is the state without the import.
 */
export async function undoRead(home: Home, writer: Writer, undo: LandedUndo): Promise<UndoResult> {
  const { connection } = writer.database;
  const { read_id: readId, source } = undo;
  return runInTransaction(connection, async () => {
    const others = await findOthers(home.landing, connection, readId);
    await runFile(connection, "queries/undo/take_back.sql#remove", { read_id: readId });
    for (const { manifest } of others)
      if (manifest !== undefined) await bringShown(home, writer, manifest);
    const [counts] = await queryFile(connection, "queries/undo/find.sql#counts", { source });
    await runFile(connection, "queries/undo/take_back.sql#forget", { read_id: readId });
    await recordUndo(connection, undo);
    await foldAll(connection);
    return {
      events: Number(counts?.["events"]),
      kept: Number(counts?.["kept"]),
      quarantined: Number(counts?.["quarantined"]),
    };
  });
}

/** Enters an undo into the ledger, for a database that has nothing of its import. */
export async function recordUndo(connection: DuckDBConnection, undo: LandedUndo): Promise<void> {
  const { read_id, run_id, source, undone_at } = undo;
  await runFile(connection, "queries/undo/take_back.sql#record", {
    read_id,
    run_id,
    source,
    undone_at,
  });
}

// Loads a read again under a new id: the database already has its rows, except rows that only the import contained.
async function bringShown(home: Home, writer: Writer, manifest: Manifest): Promise<void> {
  const { connection } = writer.database;
  const facts = toReadFacts(manifest);
  const own = { ...facts, readId: `${facts.readId}-again` };
  // What names the records may have changed with a rebuild since the read.
  const { idAt } = await readSourceId(connection, manifest.source);
  const inserted = await insertRead(home, writer, own, {
    pages: newPageCache().openPages(home.landing, manifest),
    shape: { recordsAt: manifest.records_at, idAt },
    maxRecordBytes: getMaxRecordBytes(manifest),
  });
  await finishRead(connection, own, inserted, (shown) =>
    judgeRead(connection, facts, manifest, shown),
  );
  await runFile(connection, "queries/undo/take_back.sql#keep_shown", {
    own_id: own.readId,
    read_id: facts.readId,
    run_id: facts.runId,
  });
}
