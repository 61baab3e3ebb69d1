import { rmSync } from "node:fs";
import { join } from "node:path";
import { stagePage } from "../records/stage-page.ts";
import type { Home } from "../../base/home/layout.ts";
import { type Manifest, recordBytesOf } from "../landing/manifests.ts";
import { stagedFiles, stagedFolders } from "../store/loading/insert.ts";
import { loadFault } from "../store/fault.ts";
import type { ReadFacts, StagedPage } from "../store/loading/read-facts.ts";
import { addRejects, beginRejects, type RejectCounts } from "../store/loading/rejects.ts";
import { insertStaged, stageRows } from "../store/loading/staged.ts";
import type { PageBytes } from "./batch.ts";
import type { Inserted } from "../store/loading/finish.ts";
import { shapeOf } from "./manifest-facts.ts";
import { type HeldPages, newHeldPages } from "./held-pages.ts";
import type { Writer } from "../writer/open.ts";
import { makeFolders } from "../../base/home/folders.ts";

// To plan the statement that makes rows of records takes longer than to make them of a small window. So the rows of
// small reads that wait on disk are made with those of the first of them. Each read is still loaded by itself.

/** The rows of landed reads that were made before it is their turn. */
export type Ahead = Pick<HeldPages, "pagesOf" | "drop"> & {
  /** Puts the rows of a read into the database, in its transaction; undefined where it is better done by itself. */
  readonly rowsOf: (
    manifest: Manifest,
  ) => Promise<((read: ReadFacts) => Promise<Inserted>) | undefined>;
  /** Makes the rows of a read with those of others that wait; returns the ids of all whose rows are there. */
  readonly make: (manifest: Manifest) => Promise<ReadonlySet<string>>;
};

/** `waiting` gives the reads on disk, in their order, whenever rows are made; `held` their pages in memory. */
export function newAhead(
  home: Home,
  writer: Writer,
  waiting: () => readonly Manifest[],
  held: HeldPages = newHeldPages(),
): Ahead {
  let made = new Map<string, Group>();
  const make = async (manifest: Manifest): Promise<ReadonlySet<string>> => {
    if (made.has(manifest.read_id)) return new Set(made.keys());
    const group = groupOf(manifest, waiting());
    try {
      made = group.length < 2 ? new Map() : await makeRows(home, writer, held, group);
    } catch (error) {
      throw loadFault(error);
    }
    return new Set(made.keys());
  };
  return {
    make,
    pagesOf: held.pagesOf,
    drop: held.drop,
    rowsOf: async (manifest) => {
      await make(manifest);
      const own = made.get(manifest.read_id);
      return own && ((read) => insertOf(writer, read, own));
    },
  };
}

const maxBytes = 16 * 1024 * 1024;
const maxReads = 64;

// The pages of a read, numbered through among those of others.
type Group = { readonly first: number; readonly pages: StagedPage[] };

function groupOf(manifest: Manifest, others: readonly Manifest[]): Manifest[] {
  const group: Manifest[] = [];
  let bytes = 0;
  // Those before it have had their turn.
  const after = others.slice(others.findIndex((other) => other.read_id === manifest.read_id) + 1);
  for (const one of [manifest, ...after]) {
    const { source, window_ms: windowMs, pages } = one;
    const own = pages.reduce((sum, page) => sum + page.bytes, 0);
    if (source !== manifest.source || windowMs !== manifest.window_ms) continue;
    if (group.length === maxReads || bytes + own > maxBytes) break;
    bytes += own;
    group.push(one);
  }
  return group;
}

function hasRows({ fetched, rejects }: StagedPage): boolean {
  return fetched > rejects.length;
}

async function makeRows(
  { landing, staging }: Home,
  { database: { connection }, fields }: Writer,
  held: Pick<HeldPages, "pagesOf">,
  manifests: readonly Manifest[],
): Promise<Map<string, Group>> {
  const folder = join(staging, "ahead");
  for (const kind of stagedFolders(folder)) makeFolders(kind);
  try {
    const groups = new Map<string, Group>();
    let next = 0;
    for (const manifest of manifests) {
      const { pages } = manifest;
      const first = next;
      next += pages.length;
      const own = held.pagesOf(landing, manifest);
      const staged = await stageAll(own, manifest, folder, first, fields.identity);
      if (staged !== undefined) groups.set(manifest.read_id, { first, pages: staged });
    }
    const [{ source, window_ms: windowMs }] = manifests as [Manifest];
    const all = [...groups.values()].flatMap(({ pages }) => pages);
    const counts = all.some(hasRows)
      ? await stageRows(connection, all, { source, windowMs, folder }, fields)
      : new Map<number, number>();
    for (const [readId, { pages }] of groups)
      // What the database could not read is looked for where the read is loaded by itself.
      if (pages.some((p) => (counts.get(p.page) ?? 0) + p.rejects.length !== p.fetched))
        groups.delete(readId);
    return groups;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// Undefined where a page cannot be staged: what is wrong with it is said where the read is loaded by itself.
async function stageAll(
  pages: AsyncIterable<PageBytes>,
  manifest: Manifest,
  folder: string,
  first: number,
  identity: Writer["fields"]["identity"],
): Promise<StagedPage[] | undefined> {
  const rules = { identity, maxRecordBytes: recordBytesOf(manifest) };
  const staged: StagedPage[] = [];
  try {
    for await (const { page, bytes } of pages) {
      const number = first + staged.length;
      const { format, sha256 } = page;
      const shape = { format, ...shapeOf(manifest) };
      const found = stagePage(bytes, shape, rules, stagedFiles(folder, number));
      staged.push({ page: number, sha256, bytes: page.bytes, ...found });
    }
    return staged;
  } catch {
    for (const i of manifest.pages.keys())
      for (const file of Object.values(stagedFiles(folder, first + i)))
        rmSync(file, { force: true });
    return undefined;
  }
}

async function insertOf(
  { database: { connection } }: Writer,
  read: ReadFacts,
  { first, pages }: Group,
): Promise<Inserted> {
  const rejected: RejectCounts = new Map();
  await beginRejects(connection);
  if (pages.some(hasRows)) await insertStaged(connection, read, first, first + pages.length - 1);
  const staged = pages.map((page) => ({ ...page, page: page.page - first }));
  for (const { page, sha256, rejects } of staged)
    if (rejects.length > 0)
      await addRejects(
        connection,
        rejects.map((reject) => ({ page, sha256, ...reject })),
        rejected,
      );
  const accepted = new Map(staged.map((p) => [p.page, p.fetched - p.rejects.length]));
  return { staged, accepted, rejected };
}
