import { readFile } from "node:fs/promises";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "../../base/home/layout.ts";
import { noteDue } from "../store/derived.ts";
import { loadFault } from "../store/fault.ts";
import { type FormerPage, writeFormerPages } from "../store/former.ts";
import { finishRead } from "../store/loading/finish.ts";
import type { ReadFacts } from "../store/loading/read-facts.ts";
import { runFile } from "../../base/sql/statements.ts";
import { insertRead, type PageBytes } from "../load/loader.ts";
import type { Writer } from "../writer/open.ts";

// What version 1 stored was read whole, or confirmed, by its own rules: nothing of it waits for another read.
const stored = { repeats: true };

/**
 * Takes over a read from the attached database of version 1, in the transaction of the caller. Its events are loaded
 * like records, so that they get the keys of today. Its quarantined records and its rows in the ledger are kept.
 */
export async function carryFormerRead(home: Home, writer: Writer, read: ReadFacts): Promise<void> {
  const { connection } = writer.database;
  const folder = join(home.staging, "former");
  try {
    const pages = await writeFormerPages(connection, read.readId, folder);
    const inserted = await insertRead(home, writer, read, {
      pages: pagesOf(pages),
      shape: { recordsAt: null },
      maxRecordBytes: Number.POSITIVE_INFINITY,
    });
    const judge = (): Promise<typeof stored> => Promise.resolve(stored);
    const { brought } = await finishRead(connection, read, inserted, judge);
    await noteDue(connection, read.readId, brought);
    await runFile(connection, "queries/rebuild/carried.sql#rest", { read_id: read.readId });
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
