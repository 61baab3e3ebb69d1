import { formatCommand } from "../../base/command-line.ts";
import { z } from "zod";
import { parseJson } from "../../base/rows/json-text.ts";
import { AuditlakeError, exitCode } from "../../base/errors.ts";
import type { ListedFile, Store } from "./store.ts";

// Which versions of the tables belong together. Publications are numbered, and each is a file that is created only if
// absent, so that two publishers notice each other. `lake.json` is a copy of the newest, for people who look into the
// lake.

/** The form of these files; a lake of another one was written by another auditlake. */
const format = 1;

const ingester = z.object({
  sources: z.array(z.string()),
  published_at: z.string().nullable(),
  tool_version: z.string(),
  /** The newest read of its database: one that does not know it any more is an older copy. */
  newest_read: z.string().nullish(),
});

// The folder and the key bear the name that lakes of earlier versions gave a publication.
const publication = z.object({
  format: z.literal(format),
  night: z.int().min(1),
  at: z.string(),
  ingesters: z.record(z.string(), ingester),
  tables: z.record(z.string(), z.object({ version: z.int().min(0) })),
});

export type Publication = z.infer<typeof publication>;

const folder = "_nights/";
const copyName = "lake.json";

function formatName(number: number): string {
  return `${folder}${String(number).padStart(20, "0")}.json`;
}

/** The newest publication of a lake; undefined where nothing was published. Throws AuditlakeError for a lake of a newer auditlake. */
export async function findNewestPublication(store: Store): Promise<Publication | undefined> {
  // The copy may be behind, never ahead; what it names may have been vacuumed.
  const { copy, fault } = await copyIn(store);
  const named = copy && (await readPublication(store, formatName(copy.night)));
  const newest = named ?? chooseLater(copy, await findLastListed(store));
  // Without a publication it may be a file of another program.
  if (newest === undefined && fault !== undefined) throw fault;
  return newest && findNewestAfter(store, newest);
}

class UnreadablePublication extends AuditlakeError {
  override name = "UnreadablePublication";
}

// One that cannot be read is as one that is missing, since the whole file is among the numbered ones.
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
  return (one?.night ?? 0) > (other?.night ?? 0) ? one : other;
}

async function findNewestAfter(store: Store, known: Publication): Promise<Publication> {
  let newest = known;
  for (;;) {
    const next = await readPublication(store, formatName(newest.night + 1));
    if (next === undefined) return newest;
    newest = next;
  }
}

/**
 * The publication that a reader sees who began at a moment, by the clock of the store. It is the newest put before that, or
 * the oldest there is, among those that name tables.
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

/** The files of the publications before one. */
export async function listPublicationsBefore(
  store: Store,
  { night }: Publication,
): Promise<ListedFile[]> {
  return (await store.list(folder)).filter(({ name }) => name < formatName(night));
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
      `the lake ${store.place} has format ${found}, newer than this auditlake, which knows ${format}; install the newer version`,
    );
  throw new UnreadablePublication(
    `${name} of the lake ${store.place} cannot be read; expected what ${formatCommand("lake", "publish")} writes; put a copy of it back`,
  );
}

const attempts = 100;

/**
 * Puts a publication after the newest, made by `change` from that; where another ingester was quicker, from that one's. The
 * copy is put last.
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
    const number = (before?.night ?? 0) + 1;
    const next: Publication = {
      format,
      night: number,
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

// A slower publisher may have put its own over that of a quicker one, and then puts that back.
async function putCopy(store: Store, own: Publication): Promise<void> {
  let copied = own;
  for (;;) {
    await store.put(copyName, Buffer.from(`${JSON.stringify(copied, null, 1)}\n`));
    const newest = await findNewestAfter(store, copied);
    if (newest.night === copied.night) return;
    copied = newest;
  }
}

/** Puts the copy of the newest publication where it is missing, unreadable or behind, as after a run that was killed. */
export async function mendCopy(store: Store, newest: Publication): Promise<void> {
  const { copy } = await copyIn(store);
  if (copy?.night === newest.night) return;
  await putCopy(store, newest);
}
