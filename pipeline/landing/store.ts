import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { constants, zstdCompress, zstdDecompress } from "node:zlib";
import { z } from "zod";
import { AuditlakeError, messageOf } from "../errors.ts";
import { writeDurably } from "../durable.ts";

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

const landedPage = z.strictObject({
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int(),
  format: z.enum(["json", "ndjson", "csv"]),
});

/** One read of one window as it stands in its manifest. */
export const manifestSchema = z.strictObject({
  version: z.literal(1),
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
  nightly: z.boolean(),
  range_start: z
    .string()
    .nullish()
    .describe("where the nightly run began: its checkpoint starts there"),
  records_at: z.string().nullable(),
  pages: z.array(landedPage),
});

export type LandedPage = z.infer<typeof landedPage>;
/** One read of one window: enough to load it again from the landed pages alone. */
export type Manifest = z.infer<typeof manifestSchema>;

/** A landed page that is not there, or does not hold what its name says. */
export class PageDamage extends AuditlakeError {
  override name = "PageDamage";
}

/**
 * Writes a page under its SHA-256, durably, before anything of it is loaded; a page that is there and whole
 * stays.
 */
export async function landPage(
  folder: string,
  bytes: Buffer,
  format: LandedPage["format"],
): Promise<LandedPage> {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const page = { sha256, bytes: bytes.length, format };
  if (await isLanded(folder, page)) return page;
  const params = { [constants.ZSTD_c_compressionLevel]: 1 };
  // With room for all of it there is one way to the thread pool and back, not one for every few kilobytes.
  const chunkSize = Math.max(64 * 1024, bytes.length >> 2);
  await writeDurably(pagePath(folder, sha256), await compress(bytes, { params, chunkSize }));
  return page;
}

async function isLanded(folder: string, page: LandedPage): Promise<boolean> {
  if (!existsSync(pagePath(folder, page.sha256))) return false;
  return readPage(folder, page).then(
    () => true,
    () => false,
  );
}

/** The bytes of a landed page, checked against its name. */
export async function readPage(folder: string, page: LandedPage): Promise<Buffer> {
  const path = pagePath(folder, page.sha256);
  try {
    const bytes = await decompress(await readFile(path), { maxOutputLength: page.bytes + 1 });
    if (createHash("sha256").update(bytes).digest("hex") !== page.sha256)
      throw new Error("its content does not match its name");
    return bytes;
  } catch (error) {
    throw new PageDamage(
      `landed page ${path} cannot be read: ${messageOf(error)}; restore it from a backup or read its window again`,
    );
  }
}

/** Writes the manifest of a read: from here on the read survives a crash. */
export async function writeManifest(folder: string, read: Manifest): Promise<void> {
  await writeDurably(
    manifestPath(folder, read.read_id),
    Buffer.from(`${JSON.stringify(read, null, 1)}\n`),
  );
}

/** The manifests of all reads, oldest first; throws AuditlakeError for one that cannot be read. */
export function listManifests(folder: string): Manifest[] {
  const { manifests, damaged } = readManifests(folder);
  if (damaged[0] === undefined) return manifests;
  throw new AuditlakeError(
    `manifest ${manifestPath(folder, damaged[0])} cannot be read; restore it from a backup, or move it away to read its window again`,
  );
}

/** The manifests that can be read, oldest first, and the reads whose manifest cannot. */
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
  const key = (one: Manifest): string => one.read_at + one.read_id;
  return { manifests: manifests.sort((a, b) => (key(a) < key(b) ? -1 : 1)), damaged };
}

/**
 * Moves the manifest of a read that cannot be loaded out of the way, to `damaged/` beside the others; returns
 * where it is now. Its pages stay.
 */
export function setManifestAside(folder: string, readId: string, nowMs: number): string {
  const stamp = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const to = join(folder, "damaged", `${readId}.json.${stamp}`);
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  renameSync(manifestPath(folder, readId), to);
  return to;
}

/** The SHA-256 of each page that a manifest names and that is not there. */
export function missingPages(folder: string, manifests: readonly Manifest[]): string[] {
  const named = new Set(manifests.flatMap(({ pages }) => pages.map(({ sha256 }) => sha256)));
  return [...named].filter((sha256) => !existsSync(pagePath(folder, sha256)));
}

function parseManifest(path: string): Manifest | undefined {
  try {
    const found = manifestSchema.parse(JSON.parse(readFileSync(path, "utf8")));
    return `${found.read_id}.json` === basename(path) ? found : undefined;
  } catch {
    return undefined;
  }
}

/** Where the manifest of a read lies. */
export function manifestPath(folder: string, readId: string): string {
  return join(folder, "reads", `${readId}.json`);
}

/** Where a page lies. */
export function pagePath(folder: string, sha256: string): string {
  return join(folder, "pages", sha256.slice(0, 2), `${sha256}.zst`);
}
