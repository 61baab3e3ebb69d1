import type { DuckDBConnection } from "@duckdb/node-api";
import { AuditlakeError, UsageError } from "../../base/errors.ts";
import type { Settings } from "../../base/home/settings.ts";
import { type LandedUndo, landUndo, listUndoneReads } from "../landing/undos.ts";
import { findOthers, type UndoResult, undoRead } from "../load/undo-read.ts";
import { toTimestamp } from "../../base/time/text.ts";
import { runWithWriter, withLock } from "../session/write.ts";
import { queryRows, text } from "../../base/sql/typed-rows.ts";
import { countText, formatCount } from "../../base/terminal/amounts.ts";
import { printer } from "../../base/notice/printer.ts";
import type { World } from "../../base/world.ts";
import type { Writer } from "../writer/open.ts";

/**
 * Takes back an import, identified by its read or run, and prints what was removed. Throws UsageError for an unknown
 * import, AuditlakeError if other reads of its events cannot be determined.
 */
export async function undoImport(name: string, settings: Settings, world: World): Promise<void> {
  await withLock(settings, world, "import", async () => {
    await runWithWriter(settings, world, (writer) => removeImport(name, settings, writer, world));
    // Updates the findings after the removal, with the steps of a run that changes no data.
    await runWithWriter(settings, world, () => Promise.resolve(), "grown");
  });
}

async function removeImport(
  name: string,
  settings: Settings,
  writer: Writer,
  world: World,
): Promise<void> {
  const { landing } = settings.home;
  const { connection } = writer.database;
  const undo = {
    ...(await findImport(name, landing, connection)),
    undone_at: toTimestamp(world.now()),
  };
  const others = await findOthers(landing, connection, undo.read_id);
  const lost = others.find(({ manifest }) => manifest === undefined);
  if (lost !== undefined)
    throw new AuditlakeError(
      `nothing was changed: the raw pages of read ${lost.readId}, which may contain events of this import, are missing; restore them from a backup`,
    );
  await landUndo(landing, undo);
  const undone = await undoRead(settings.home, writer, undo);
  if (settings.flags.quiet !== true) printer(world)(formatUndone(undo.read_id, undone));
}

async function findImport(
  name: string,
  landing: string,
  connection: DuckDBConnection,
): Promise<Omit<LandedUndo, "undone_at">> {
  const shape = { readId: text, runId: text, source: text };
  const [row] = await queryRows(connection, "queries/undo/find.sql#import", shape, { name });
  if (row !== undefined)
    return {
      version: 1,
      read_id: row.readId,
      run_id: row.runId,
      source: row.source,
    };
  if (listUndoneReads(landing).has(name))
    throw new UsageError(`the import ${name} was already undone`);
  const newest = await queryRows(connection, "queries/undo/find.sql#last_imports", {
    readId: text,
  });
  const ids = newest.map(({ readId }) => readId);
  throw new UsageError(
    `no import ${name}; ${ids.length === 0 ? "nothing was imported yet" : `the latest are ${ids.join(", ")}`}`,
  );
}

function formatUndone(readId: string, { events, kept, quarantined }: UndoResult): string {
  const removed = `removed ${formatCount(events - kept, "event")} and ${formatCount(quarantined, "quarantined record")}`;
  const stay = kept > 0 ? `; ${countText(kept)} remain, because other reads contain them, too` : "";
  return `undid import ${readId}: ${removed}${stay}; its raw pages stay on the disk`;
}
