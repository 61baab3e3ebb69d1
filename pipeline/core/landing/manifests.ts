import { existsSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { AuditlakeError, getMessage, isCode } from "../../base/errors.ts";
import { makeFolders } from "../../base/home/durable.ts";
import { parseJson } from "../../base/rows/json-text.ts";
import { fromTimestamp, nameStamp } from "../../base/time/text.ts";
import { readPlaces, writePlaces } from "./places.ts";
import { getPageFile, getPagePath, landedPage, type LandedPage, landFile } from "./store.ts";

/** Version 2 added how the read ended, 3 files shared by pages of a read, 4 a separate file of places. */
export const manifestVersion = 4;

const ending = z.strictObject({
  start: z.string(),
  end: z.string(),
  records: z.int(),
  by: z.enum(["null_next", "absent_next", "empty_page", "only_page"]),
  total: z.int().nullable(),
  signs: z.array(z.string()),
  last_page: z.int(),
  smallest_followed: z.int().nullable(),
  followed: z.boolean(),
});

const ended = z.strictObject({
  /** What the requests looked like: evidence of one form counts for that. */
  form: z.string(),
  /** Requested records per page; null if not requested. */
  size: z.int().nullable(),
  /** The configuration said that each answer is whole. */
  whole: z.boolean(),
  /** How long the service keeps its log, if configured. */
  retention_ms: z.number().nullable(),
  /** Pages of half the records were requested, so that the service offers a next page. */
  half_asked: z.boolean(),
  /** One request over a longer range gave these records and more, or named a next page. */
  longer: z.boolean(),
  /** Signs that the load would find, and that the configuration ignores. */
  ignored: z.array(z.string()).optional(),
  /** The ranges in which the window was requested. */
  parts: z.array(ending).min(1),
});

/** How a read came to its end, as its manifest has it. */
export type ReadEnd = z.infer<typeof ended>;

const importedFile = z.strictObject({
  sha256: z.string().describe("of the file itself, compressed as received"),
  bytes: z.int(),
});

/** A file of an import, by its own bytes: its pages may hold its records in another arrangement. */
export type ImportedFile = z.infer<typeof importedFile>;

/** One read of one window as stored in its manifest. */
export const manifestSchema = z.strictObject({
  version: z.int().min(1).max(manifestVersion),
  // Names the manifest and its staging folder.
  read_id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9-]*$/),
  run_id: z.string(),
  command: z.string(),
  source: z.string(),
  window_start: z.string().nullable(),
  window_end: z.string().nullable(),
  window_ms: z.number(),
  read_at: z.string(),
  server_time: z.string().nullable(),
  closed: z.boolean(),
  /** Whether a scheduled run requested it. Stored manifests use this key. */
  nightly: z.boolean(),
  /** Where the scheduled run began: its checkpoint starts there. */
  range_start: z.string().nullish(),
  records_at: z.string().nullable(),
  /** The dotted path of what names a record, where it is not `id`. */
  id_at: z.string().nullish(),
  /** What was longer went to the quarantine; missing in manifests of before, which had the default. */
  max_record_bytes: z.number().optional(),
  pages: z.array(landedPage),
  /** The files of an import, in the order of their parts; missing in manifests of before. */
  files: z.array(importedFile).optional(),
  /** Missing for files, and in manifests of version 1, which did not keep it. */
  ended: ended.nullish(),
});

/** One read of one window: enough to load it again from the landed pages alone. */
export type Manifest = z.infer<typeof manifestSchema>;

const damagedFolder = "damaged";
const defaultRecordBytes = 16 * 1024 * 1024;

/** How long a record of the read may be, bytes, now as when it was read; longer ones go to the quarantine. */
export function getMaxRecordBytes({
  max_record_bytes: bytes = defaultRecordBytes,
}: Manifest): number {
  return bytes;
}

/** Whether the window of a read had closed by both clocks; earlier versions recorded only the service's clock. */
export function isClosed(manifest: Manifest): boolean {
  const { closed, window_end: end, read_at: readAt, server_time: serverTime } = manifest;
  if (end === null) return closed;
  const clocks = [readAt, serverTime ?? readAt].map(fromTimestamp);
  return closed && fromTimestamp(end) <= Math.min(...clocks);
}

/** Writes the manifest of a read: from here on the read survives a crash. */
export async function writeManifest(folder: string, read: Manifest): Promise<void> {
  await writePlaces(folder, read.read_id, read.pages);
  await landFile(folder, `reads/${read.read_id}.json`, Buffer.from(formatManifest(read)));
}

/** The text of a manifest: its hash is in the log. */
export function formatManifest(read: Manifest): string {
  const pages = read.pages.map(({ place: _place, ...page }) => page);
  return `${JSON.stringify(read.version < 4 ? read : { ...read, pages }, null, 1)}\n`;
}

/** Returns the manifest of a read; undefined if it is missing or damaged. */
export function readManifest(folder: string, readId: string): Manifest | undefined {
  return parseManifest(getManifestPath(folder, readId));
}

/**
 * The manifests that can be read, oldest first, and the reads whose manifest is damaged. Throws AuditlakeError where
 * the file system does not give one, or a newer auditlake wrote it. Neither is damage: what was moved away as damaged
 * would be missing once the newer version is back.
 */
export function readManifests(folder: string): { manifests: Manifest[]; damaged: string[] } {
  const reads = join(folder, "reads");
  const files = existsSync(reads) ? readdirSync(reads) : [];
  const manifests: Manifest[] = [];
  const damaged: string[] = [];
  for (const name of files.filter((file) => file.endsWith(".json")).sort()) {
    const found = parseManifest(join(reads, name));
    if (found === undefined) damaged.push(name.slice(0, -".json".length));
    else manifests.push(found);
  }
  const sortKey = (one: Manifest): string => one.read_at + one.read_id;
  return { manifests: manifests.sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1)), damaged };
}

/**
 * Sets the manifest of a read that cannot be loaded aside, in `damaged/` beside the others; returns where it is now.
 * Its pages stay.
 */
export function backUpManifest(folder: string, readId: string, nowMs: number): string {
  const stamp = nameStamp(nowMs);
  const to = join(folder, damagedFolder, `${readId}.json.${stamp}`);
  makeFolders(dirname(to));
  renameSync(getManifestPath(folder, readId), to);
  return to;
}

/** Lists the names of quarantined manifests, which the operator can still repair. */
export function listSetAside(folder: string): string[] {
  const path = join(folder, damagedFolder);
  return existsSync(path) ? readdirSync(path) : [];
}

export function listNamedFiles(manifests: readonly Manifest[]): Set<string> {
  return new Set(manifests.flatMap(({ pages }) => pages.map(getPageFile)));
}

/** The pages that a manifest names and whose file is not there. */
export function listMissingPages(folder: string, manifests: readonly Manifest[]): LandedPage[] {
  const gone = new Map<string, boolean>();
  const isGone = (page: LandedPage): boolean => {
    const known = gone.get(getPageFile(page)) ?? !existsSync(getPagePath(folder, page));
    gone.set(getPageFile(page), known);
    return known;
  };
  return manifests.flatMap(({ pages }) => pages.filter(isGone));
}

function parseManifest(path: string): Manifest | undefined {
  const value = parseJson(readText(path));
  const { success, data, error } = manifestSchema.safeParse(value);
  if (success) {
    if (`${data.read_id}.json` !== basename(path)) return undefined;
    return data.version < 4 ? data : { ...data, pages: withPlaces(data.pages, path) };
  }
  if (isNewer(value, error))
    throw new AuditlakeError(
      `manifest ${path} was written by a newer auditlake; install the newer version`,
    );
  return undefined;
}

function withPlaces(pages: readonly LandedPage[], path: string): LandedPage[] {
  const places = readPlaces(path);
  return pages.map((page, i) => {
    const place = places[i];
    return place === undefined || place === null ? page : { ...page, place };
  });
}

// A version to come may add keys under the same number.
function isNewer(value: unknown, { issues }: z.ZodError): boolean {
  const { data: { version } = {} } = z.object({ version: z.number() }).safeParse(value);
  if (version !== undefined && version > manifestVersion) return true;
  return issues.every(({ code }) => code === "unrecognized_keys");
}

// A file that was deleted meanwhile counts as damaged, too.
function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (isCode(error, "ENOENT")) return "";
    throw new AuditlakeError(
      `cannot read ${path}: ${getMessage(error)}; correct the permissions, then run again`,
    );
  }
}

export function getManifestPath(folder: string, readId: string): string {
  return join(folder, "reads", `${readId}.json`);
}

/** Reason for rejecting a read that `isUnstorable`. */
export const unstorableText = "has a time after the year 9999, which the database cannot store";

/**
 * Whether a manifest has a time after the year 9999, which versions before this one wrote: of a window there, or of the
 * service's clock. Such a read could never be loaded.
 */
export function isUnstorable(manifest: Manifest): boolean {
  const { read_at: readAt, range_start: start, server_time: serverTime } = manifest;
  return isWindowUnstorable(manifest) || [readAt, start, serverTime].some(isBeyond);
}

/** Whether the window of a read itself ends after that year, so that it cannot be read again either. */
export function isWindowUnstorable(manifest: Manifest): boolean {
  return [manifest.window_start, manifest.window_end].some(isBeyond);
}

// A year of more than four digits is written with a sign.
function isBeyond(moment: string | null | undefined): boolean {
  return moment?.startsWith("+") === true;
}
