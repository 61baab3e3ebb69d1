import { z } from "zod";
import { jsonOf } from "../rows/json-text.ts";
import { AuditlakeError, exitCode } from "../errors.ts";
import type { Store } from "./store.ts";

// Which version of each table belong together. Nights are numbered, each a file that is put only if absent, so that of
// two publishers one sees the other's. `lake.json` is a copy of the newest, for whoever looks.

/** The form of these files; a lake of another one was written by another auditlake. */
const format = 1;

const ingester = z.object({
  sources: z.array(z.string()),
  published_at: z.string().nullable(),
  tool_version: z.string(),
  /** The newest read of its database: one that does not know it any more is an older copy. */
  newest_read: z.string().nullish(),
  /** Days before this one stay, since the database was put back from an older copy. */
  kept_before: z.string().optional(),
});

const night = z.object({
  format: z.literal(format),
  night: z.int().min(1),
  at: z.string(),
  ingesters: z.record(z.string(), ingester),
  tables: z.record(z.string(), z.object({ version: z.int().min(0) })),
});

export type Night = z.infer<typeof night>;

const folder = "_nights/";
const copyName = "lake.json";

function nameOf(number: number): string {
  return `${folder}${String(number).padStart(20, "0")}.json`;
}

/** The newest night of a lake; undefined where nothing was published. Throws AuditlakeError for a lake of a newer auditlake. */
export async function newestNight(store: Store): Promise<Night | undefined> {
  // The copy may be behind, never ahead.
  const copy = await nightAt(store, copyName);
  let newest = copy && ((await nightAt(store, nameOf(copy.night))) ?? copy);
  if (newest === undefined) {
    const names = (await store.list(folder)).map(({ name }) => name).sort();
    newest = names.length === 0 ? undefined : await nightAt(store, names.at(-1)!);
  }
  for (;;) {
    const next: Night | undefined = newest && (await nightAt(store, nameOf(newest.night + 1)));
    if (next === undefined) return newest;
    newest = next;
  }
}

/**
 * The night that a reader sees who began at a moment, by the clock of the store. It is the newest put before that, or
 * the oldest there is, among those that name tables.
 */
export async function nightAsOf(store: Store, atMs: number): Promise<Night | undefined> {
  const all = (await store.list(folder)).sort((a, b) => (a.name < b.name ? -1 : 1));
  const first = all.findLastIndex(({ changedMs }) => changedMs < atMs);
  for (const { name } of all.slice(Math.max(0, first))) {
    const found = await nightAt(store, name);
    if (found !== undefined && Object.keys(found.tables).length > 0) return found;
  }
  return undefined;
}

async function nightAt(store: Store, name: string): Promise<Night | undefined> {
  const bytes = await store.get(name);
  if (bytes === undefined) return undefined;
  const content = jsonOf(bytes.toString("utf8"));
  const result = night.safeParse(content);
  if (result.success) return result.data;
  const found = (content as { readonly format?: unknown } | undefined)?.format;
  throw new AuditlakeError(
    typeof found === "number" && found > format
      ? `the lake ${store.place} has format ${found}, newer than this auditlake, which knows ${format}; install the newer version`
      : `${name} of the lake ${store.place} cannot be read; expected what auditlake lake publish writes; put a copy of it back`,
  );
}

const attempts = 100;

/**
 * Puts a night after the newest, made by `change` from that; where another ingester was quicker, from that one's. The
 * copy is put last.
 */
export async function putNight(
  store: Store,
  nowMs: number,
  change: (before: Pick<Night, "ingesters" | "tables">) => Pick<Night, "ingesters" | "tables">,
): Promise<Night> {
  for (let n = 0; n < attempts; n++) {
    const before = await newestNight(store);
    const number = (before?.night ?? 0) + 1;
    const next: Night = {
      format,
      night: number,
      at: new Date(nowMs).toISOString(),
      ...change(before ?? { ingesters: {}, tables: {} }),
    };
    const bytes = Buffer.from(`${JSON.stringify(next, null, 1)}\n`);
    if (!(await store.putIfAbsent(nameOf(number), bytes))) continue;
    await store.put(copyName, bytes);
    return next;
  }
  throw new AuditlakeError(
    `the lake ${store.place} was changed ${attempts} times while this night waited; run auditlake lake publish again`,
    exitCode.locked,
  );
}

/** Puts the copy of the newest night where it is missing or behind, as after a run that was killed. */
export async function mendCopy(store: Store, newest: Night): Promise<void> {
  const copy = await nightAt(store, copyName);
  if (copy?.night === newest.night) return;
  await store.put(copyName, Buffer.from(`${JSON.stringify(newest, null, 1)}\n`));
}
