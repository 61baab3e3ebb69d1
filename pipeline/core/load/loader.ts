import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "../../base/home/layout.ts";
import { type Manifest, getMaxRecordBytes } from "../landing/manifests.ts";
import { readPage } from "../landing/store.ts";
import { loadFault } from "../store/fault.ts";
import { beginRejects, insertBatch, insertStaged, stageBatch } from "../store/loading/insert.ts";
import type {
  InsertResult,
  PageTallies,
  ReadFacts,
  StagedPage,
} from "../store/loading/read-facts.ts";
import type { Writer } from "../writer/open.ts";
import type { StagedAhead } from "./ahead.ts";
import {
  dropFrom,
  type GrowingBatch,
  isFull,
  newBatch,
  openLines,
  type PageBytes,
  type ReadPages,
  type ReadShape,
  stageInto,
} from "./batch.ts";

// From stored pages to rows, for 1 to 64 reads at once. To plan the statement that makes rows of records takes longer
// than to make them of a small window, so small reads that wait are staged and converted together, and then inserted one
// by one. A read that is alone is inserted in batches: while the database inserts one batch the next is staged.

/** Puts the rows of landed reads into the database. */
export type Loader = {
  /** Converts a read with small ones that wait; returns the ids of all whose rows are ready, none where it is alone. */
  readonly prepare: (manifest: Manifest) => Promise<ReadonlySet<string>>;
  readonly insert: (manifest: Manifest, read: ReadFacts) => Promise<InsertResult>;
  readonly drop: PageCache["drop"];
};

/** `waiting` gives the reads on disk, in their order, whenever rows are made; `held` their pages in memory. */
export function newLoader(
  home: Home,
  writer: Writer,
  waiting: () => readonly Manifest[] = () => [],
  held: Pick<PageCache, "openPages" | "drop"> = newPageCache(),
): Loader {
  let ready: ReadonlyMap<string, StagedPage[]> = new Map();
  let alone: string | undefined;
  const openPages = (manifest: Manifest): ReadPages => ({
    ...readShape(manifest),
    pages: held.openPages(home.landing, manifest),
  });
  return {
    prepare: async (manifest) => {
      const { read_id: readId } = manifest;
      if (!ready.has(readId) && alone !== readId) {
        const group = selectGroup(manifest, waiting());
        ready = group.length < 2 ? new Map() : await convertGroup(home, writer, group, openPages);
        alone = ready.has(readId) ? undefined : readId;
      }
      return new Set(alone === readId ? [] : ready.keys());
    },
    insert: (manifest, read) => {
      const pages = ready.get(manifest.read_id);
      if (pages === undefined) return insertRead(home, writer, read, openPages(manifest));
      return insertStaged(writer.database.connection, read, pages);
    },
    drop: held.drop,
  };
}

/** Puts the rows of one read into the database, whose first pages are staged already. */
export function newAheadLoader(home: Home, writer: Writer, { batch }: StagedAhead): Loader {
  const openRest = (manifest: Manifest): ReadPages => ({
    ...readShape(manifest),
    pages: newPageCache().openPages(home.landing, {
      ...manifest,
      pages: manifest.pages.slice(batch.pages.length),
    }),
  });
  return {
    prepare: () => Promise.resolve(new Set()),
    insert: (manifest, read) => insertRead(home, writer, read, openRest(manifest), batch),
    drop: () => rmSync(batch.folder, { recursive: true, force: true }),
  };
}

function readShape(manifest: Manifest): ReadShape {
  return {
    shape: { recordsAt: manifest.records_at, idAt: manifest.id_at ?? null },
    maxRecordBytes: getMaxRecordBytes(manifest),
  };
}

/** Inserts the rows of a single read in batches. `ahead` is its first batch, whose pages precede the others. */
export async function insertRead(
  home: Home,
  { database: { connection }, fields }: Writer,
  read: ReadFacts,
  own: ReadPages,
  ahead?: GrowingBatch,
): Promise<InsertResult> {
  const folder = join(home.staging, "read");
  const tallies: PageTallies = { accepted: new Map(), rejected: new Map() };
  let batch = ahead ?? newBatch(folder, 0);
  const staged = [...batch.pages];
  let lines = openLines(batch, staged.length);
  let inserting = Promise.resolve();
  // A connection does one statement at a time.
  const beginWork = async (work: () => Promise<void>): Promise<void> => {
    await inserting;
    inserting = work();
    // A failure is reported where it is awaited; until then it must not count as unhandled.
    inserting.catch(() => undefined);
  };
  const flushBatch = async (): Promise<void> => {
    const full = batch;
    lines[Symbol.dispose]();
    await beginWork(async () => {
      await insertBatch(connection, read, full, fields, tallies);
      rmSync(full.folder, { recursive: true, force: true });
    });
    batch = newBatch(folder, full.number + 1);
    lines = openLines(batch, 0);
  };
  try {
    await beginWork(() => beginRejects(connection));
    for await (const one of own.pages) {
      if (isFull(batch)) await flushBatch();
      staged.push(stageInto({ batch, lines }, staged.length, one, own, fields.identity));
    }
    if (batch.pages.length > 0) await flushBatch();
    await inserting;
    return { staged, ...tallies };
  } finally {
    await inserting.catch(() => undefined);
    try {
      lines[Symbol.dispose]();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

const maxGroupBytes = 16 * 1024 * 1024;
const maxGroupReads = 64;

// Returns a read and the small waiting reads of its source.
function selectGroup(manifest: Manifest, waiting: readonly Manifest[]): Manifest[] {
  const group: Manifest[] = [];
  let bytes = 0;
  // Those before it have had their turn.
  const behind = waiting.slice(waiting.findIndex((one) => one.read_id === manifest.read_id) + 1);
  for (const one of [manifest, ...behind]) {
    const own = one.pages.reduce((sum, page) => sum + page.bytes, 0);
    if (one.source !== manifest.source || one.window_ms !== manifest.window_ms) continue;
    if (group.length === maxGroupReads || bytes + own > maxGroupBytes) break;
    bytes += own;
    group.push(one);
  }
  return group;
}

// Returns the pages of each read whose records are now rows of the group, numbered consecutively. A read with a page
// that cannot be staged, or with a record that the database cannot read, is excluded; loading it alone shows the fault.
async function convertGroup(
  { staging }: Home,
  { database: { connection }, fields }: Writer,
  group: readonly Manifest[],
  pagesOf: (manifest: Manifest) => ReadPages,
): Promise<ReadonlyMap<string, StagedPage[]>> {
  const folder = join(staging, "group");
  const batch = newBatch(folder, 0);
  const [{ source, window_ms: windowMs }] = group as [Manifest];
  try {
    const ready = new Map<string, StagedPage[]>();
    for (const manifest of group) {
      const pages = await stageWhole(batch, pagesOf(manifest), fields.identity);
      if (pages !== undefined) ready.set(manifest.read_id, pages);
    }
    const rows = await stageBatch(connection, batch, { source, windowMs }, fields);
    for (const [readId, pages] of ready)
      if (pages.some((p) => (rows.get(p.page) ?? 0) + p.rejects.length !== p.fetched))
        ready.delete(readId);
    return ready;
  } catch (error) {
    throw loadFault(error);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// Stages all pages of a read into a batch; undefined, and nothing of it is in the batch, where one of them cannot be.
async function stageWhole(
  batch: GrowingBatch,
  own: ReadPages,
  identity: Writer["fields"]["identity"],
): Promise<StagedPage[] | undefined> {
  const first = batch.pages.length;
  try {
    using lines = openLines(batch, first);
    for await (const one of own.pages)
      stageInto({ batch, lines }, batch.pages.length, one, own, identity);
    return batch.pages.slice(first);
  } catch {
    dropFrom(batch, first);
    return undefined;
  }
}

export function toReadFacts(manifest: Manifest): ReadFacts {
  return {
    readId: manifest.read_id,
    runId: manifest.run_id,
    source: manifest.source,
    windowStart: manifest.window_start,
    windowEnd: manifest.window_end,
    windowMs: manifest.window_ms,
    seenAt: manifest.read_at,
    parts: manifest.pages.map(({ part = 0 }) => part),
  };
}

/** Pages of reads that wait for the load, cached in memory up to a limit so that they are not read back from disk. */
export type PageCache = {
  /** Caches a page of a read if the limit allows. */
  readonly add: (readId: string, sha256: string, page: Buffer) => void;
  readonly drop: (readId: string) => void;
  /** Yields the pages of a landed read in order and drops them from the cache. */
  readonly openPages: (landing: string, manifest: Manifest) => AsyncGenerator<PageBytes>;
};

const maxHeldBytes = 64 * 1024 * 1024;

/** `limitBytes` is how many bytes of pages may be held at once. */
export function newPageCache(limitBytes = maxHeldBytes): PageCache {
  const held = new Map<string, Map<string, Buffer>>();
  let left = limitBytes;
  const take = (readId: string): Map<string, Buffer> => {
    const pages = held.get(readId) ?? new Map<string, Buffer>();
    held.delete(readId);
    for (const page of pages.values()) left += page.length;
    return pages;
  };
  return {
    add: (readId, sha256, page) => {
      const pages = held.get(readId) ?? new Map<string, Buffer>();
      if (page.length > left || pages.has(sha256)) return;
      held.set(readId, pages.set(sha256, page));
      left -= page.length;
    },
    drop: (readId) => void take(readId),
    async *openPages(landing, manifest) {
      const pages = take(manifest.read_id);
      for (const page of manifest.pages)
        yield { page, bytes: pages.get(page.sha256) ?? (await readPage(landing, page)) };
    },
  };
}
