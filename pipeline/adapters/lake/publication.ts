import { formatCommand } from "../../base/command-line.ts";
import { z } from "zod";
import { parseJson } from "../../base/rows/json-text.ts";
import { AuditlakeError, exitCode } from "../../base/errors.ts";
import type { ListedFile, Store } from "./store.ts";

// A publication lists the table versions that belong together. Publications are numbered files, created only if absent,
// so that two publishers detect each other. `lake.json` is a copy of the newest one, for people who browse the lake.

const format = 1;

const ingester = z.object({
  sources: z.array(z.string()),
  published_at: z.string().nullable(),
  tool_version: z.string(),
  /** The newest read of its database: a database without this read is an older copy. */
  newest_read: z.string().nullish(),
});

const publication = z.object({
  format: z.literal(format),
  publication: z.int().min(1),
  at: z.string(),
  ingesters: z.record(z.string(), ingester),
  tables: z.record(z.string(), z.object({ version: z.int().min(0) })),
});

export type Publication = z.infer<typeof publication>;

const folder = "_publications/";
// Earlier versions used this folder name and `night` as the key of the number.
const oldFolder = "_nights/";
const oldForm = z.object({ night: z.int() });
const copyName = "lake.json";

function formatName(number: number): string {
  return `${folder}${String(number).padStart(20, "0")}.json`;
}

/**
 * Returns the newest publication of a lake, undefined if nothing was published. Throws AuditlakeError for a lake of a newer
 * auditlake or one with the old names.
 */
export async function findNewestPublication(store: Store): Promise<Publication | undefined> {
  // The copy can be older than the newest publication, never newer; `vacuum` may have removed the file it names.
  const { copy, fault } = await copyIn(store);
  const named = copy && (await readPublication(store, formatName(copy.publication)));
  const newest = named ?? chooseLater(copy, await findLastListed(store));
  if (newest !== undefined) return findNewestAfter(store, newest);
  if ((await store.list(oldFolder)).length > 0) throw newOldNamesError(store);
  // Without a publication, `lake.json` may be a file of another program.
  if (fault !== undefined) throw fault;
  return undefined;
}

class UnreadablePublication extends AuditlakeError {
  override name = "UnreadablePublication";
}

function newOldNamesError({ place }: Store): AuditlakeError {
  return new AuditlakeError(
    `the lake ${place} was written by an earlier auditlake: the folder _nights and the key "night"; nothing was changed: rename the folder to _publications, and the key to "publication" in each of its files and in lake.json`,
  );
}

// An unreadable copy counts as missing, since the numbered files include the same content.
async function copyIn(
  store: Store,
): Promise<{ readonly copy?: Publication | undefined; readonly fault?: UnreadablePublication }> {
  try {
    return { copy: await readPublication(store, copyName) };
  } catch (error) {
    if (error instanceof UnreadablePublication) return { fault: error };
    throw error;
  }
}

async function findLastListed(store: Store): Promise<Publication | undefined> {
  const name = (await store.list(folder))
    .map((file) => file.name)
    .sort()
    .at(-1);
  return name === undefined ? undefined : readPublication(store, name);
}

function chooseLater(
  one: Publication | undefined,
  other: Publication | undefined,
): Publication | undefined {
  return (one?.publication ?? 0) > (other?.publication ?? 0) ? one : other;
}

async function findNewestAfter(store: Store, known: Publication): Promise<Publication> {
  let newest = known;
  for (;;) {
    const next = await readPublication(store, formatName(newest.publication + 1));
    if (next === undefined) return newest;
    newest = next;
  }
}

/**
 * Returns the publication that a reader sees which started at a moment, by the clock of the store: the newest one put
 * before that moment, or the oldest one. Publications without tables do not count.
 */
export async function findPublicationAsOf(
  store: Store,
  atMs: number,
): Promise<Publication | undefined> {
  const all = (await store.list(folder)).sort((a, b) => (a.name < b.name ? -1 : 1));
  const first = all.findLastIndex(({ changedMs }) => changedMs < atMs);
  for (const { name } of all.slice(Math.max(0, first))) {
    const found = await readPublication(store, name);
    if (found !== undefined && Object.keys(found.tables).length > 0) return found;
  }
  return undefined;
}

export async function listPublicationsBefore(
  store: Store,
  { publication: number }: Publication,
): Promise<ListedFile[]> {
  return (await store.list(folder)).filter(({ name }) => name < formatName(number));
}

async function readPublication(store: Store, name: string): Promise<Publication | undefined> {
  const bytes = await store.get(name);
  if (bytes === undefined) return undefined;
  const content = parseJson(bytes.toString("utf8"));
  const result = publication.safeParse(content);
  if (result.success) return result.data;
  const found = (content as { readonly format?: unknown } | undefined)?.format;
  if (typeof found === "number" && found > format)
    throw new AuditlakeError(
      `the lake ${store.place} has format ${found}, newer than this auditlake supports (${format}); install the newer version`,
    );
  if (oldForm.safeParse(content).success) throw newOldNamesError(store);
  throw new UnreadablePublication(
    `${name} of the lake ${store.place} cannot be read; expected a file of ${formatCommand("lake", "publish")}; restore it from a copy`,
  );
}

const attempts = 100;

/**
 * Puts the publication that `change` derives from the newest one, then updates the copy. If another ingester publishes
 * first, `change` runs again on that publication.
 */
export async function putPublication(
  store: Store,
  nowMs: number,
  change: (
    before: Pick<Publication, "ingesters" | "tables">,
  ) => Pick<Publication, "ingesters" | "tables">,
): Promise<Publication> {
  for (let n = 0; n < attempts; n++) {
    const before = await findNewestPublication(store);
    const number = (before?.publication ?? 0) + 1;
    const next: Publication = {
      format,
      publication: number,
      at: new Date(nowMs).toISOString(),
      ...change(before ?? { ingesters: {}, tables: {} }),
    };
    const bytes = Buffer.from(`${JSON.stringify(next, null, 1)}\n`);
    if (!(await store.putIfAbsent(formatName(number), bytes))) continue;
    await putCopy(store, next);
    return next;
  }
  throw new AuditlakeError(
    `the lake ${store.place} was changed ${attempts} times while this publication waited; run ${formatCommand("lake", "publish")} again`,
    exitCode.locked,
  );
}

// A slower publisher can overwrite the copy of a faster one, so it checks for a newer publication and copies that.
async function putCopy(store: Store, own: Publication): Promise<void> {
  let copied = own;
  for (;;) {
    await store.put(copyName, Buffer.from(`${JSON.stringify(copied, null, 1)}\n`));
    const newest = await findNewestAfter(store, copied);
    if (newest.publication === copied.publication) return;
    copied = newest;
  }
}

/** Replaces a missing, unreadable or old copy of the newest publication, for example after a killed run. */
export async function repairCopy(store: Store, newest: Publication): Promise<void> {
  const { copy } = await copyIn(store);
  if (copy?.publication === newest.publication) return;
  await putCopy(store, newest);
}
