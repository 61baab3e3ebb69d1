import { readFile } from "node:fs/promises";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "../../home.ts";
import { noteDue } from "../../warehouse/derived.ts";
import { loadFault } from "../../warehouse/fault.ts";
import { type FormerPage, writeFormerPages } from "../../warehouse/former.ts";
import { finishRead } from "../../warehouse/load.ts";
import type { ReadFacts } from "../../warehouse/read.ts";
import { runFile } from "../../warehouse/statements.ts";
import { insertPages, type PageBytes } from "../batch.ts";
import type { Writer } from "../open-writer.ts";

// What version 1 stored was read whole, or confirmed, by its own rules: nothing of it waits for another read.
const stored = { agrees: true };

/**
 * Takes over a read from the attached database of version 1, in the transaction of the caller: its events are loaded
 * like records, so that they get the keys of today; its quarantined records and its rows in the ledger are kept.
 */
export async function carryFormerRead(home: Home, writer: Writer, read: ReadFacts): Promise<void> {
  const { connection } = writer.database;
  const folder = join(home.staging, "former");
  try {
    const pages = await writeFormerPages(connection, read.readId, join(folder, "pages"));
    const context = { home, ...writer, maxRecordBytes: Number.POSITIVE_INFINITY };
    const { staged, accepted, rejected } = await insertPages(
      context,
      read,
      pagesOf(pages),
      null,
      join(folder, "staged"),
    );
    const judge = (): Promise<typeof stored> => Promise.resolve(stored);
    const { brought } = await finishRead(connection, read, staged, accepted, rejected, judge);
    await noteDue(connection, read.readId, brought);
    await runFile(connection, "queries/rebuild/carry.sql", { read_id: read.readId });
  } catch (error) {
    throw loadFault(error);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function* pagesOf(pages: readonly FormerPage[]): AsyncGenerator<PageBytes> {
  for (const { sha256, bytes, file } of pages)
    yield { page: { sha256, bytes, format: "ndjson" }, bytes: await readFile(file) };
}
