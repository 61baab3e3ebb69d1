import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { constants, zstdCompress, zstdDecompress } from "node:zlib";
import { z } from "zod";
import { AuditlakeError, messageOf } from "../errors.ts";
import { writeDurably } from "./durable.ts";

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

const landedPage = z.strictObject({
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int(),
  format: z.enum(["json", "ndjson", "csv"]),
});

const manifest = z.strictObject({
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
export type Manifest = z.infer<typeof manifest>;

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
  await writeDurably(pagePath(folder, sha256), await compress(bytes, { params }));
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
    throw new AuditlakeError(
      `landed page ${path} cannot be read: ${messageOf(error)}; restore it from a backup or read its window again`,
    );
  }
}

/** Writes the manifest of a read: from here on the read survives a crash. */
export async function writeManifest(folder: string, read: Manifest): Promise<void> {
  await writeDurably(
    join(folder, "reads", `${read.read_id}.json`),
    Buffer.from(`${JSON.stringify(read, null, 1)}\n`),
  );
}

/** The manifests of all reads, oldest first. */
export function listManifests(folder: string): Manifest[] {
  const reads = join(folder, "reads");
  if (!existsSync(reads)) return [];
  const files = readdirSync(reads).filter((name) => name.endsWith(".json"));
  const all = files.map((name) => parseManifest(join(reads, name)));
  return all.sort((a, b) => (a.read_at + a.read_id < b.read_at + b.read_id ? -1 : 1));
}

/** The SHA-256 of each page that a manifest names and that is not there. */
export function missingPages(folder: string, manifests: readonly Manifest[]): string[] {
  const named = new Set(manifests.flatMap(({ pages }) => pages.map(({ sha256 }) => sha256)));
  return [...named].filter((sha256) => !existsSync(pagePath(folder, sha256)));
}

function parseManifest(path: string): Manifest {
  try {
    return manifest.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    throw new AuditlakeError(
      `manifest ${path} cannot be read; restore it from a backup, or move it away to read its window again`,
    );
  }
}

function pagePath(folder: string, sha256: string): string {
  return join(folder, "pages", sha256.slice(0, 2), `${sha256}.zst`);
}
