import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { constants, zstdCompress, zstdDecompress } from "node:zlib";
import { z } from "zod";
import { AuditlakeError, isCode, messageOf } from "../errors.ts";
import { syncFolder, writeDurably } from "../durable.ts";
import type { Journal } from "./journal.ts";

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** A page as a manifest names it. */
export const landedPage = z.strictObject({
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int(),
  format: z.enum(["json", "ndjson", "csv"]),
  part: z.int().optional().describe("the range it was asked for with, of a read in parts"),
});

export type LandedPage = z.infer<typeof landedPage>;
/** A landed page that is not there, or does not hold what its name says. */
export class PageDamage extends AuditlakeError {
  override name = "PageDamage";
}

/**
 * Writes a page under its SHA-256, durably, before anything of it is loaded; a page that is there and whole
 * stays. `note` hears of it first: see journal.ts.
 */
export async function landPage(
  folder: string,
  bytes: Buffer,
  format: LandedPage["format"],
  note: Journal["note"] = () => Promise.resolve(),
): Promise<LandedPage> {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const page = { sha256, bytes: bytes.length, format };
  const path = pagePath(folder, sha256);
  await note(sha256);
  if (await isLanded(folder, page)) {
    // Whoever put it there may have been killed before its name was on the disk, or be at it just now.
    await syncFolder(dirname(path));
    await syncAbove(path, folder);
    return page;
  }
  const params = { [constants.ZSTD_c_compressionLevel]: 1 };
  // With room for all of it there is one way to the thread pool and back, not one for every few kilobytes.
  const chunkSize = Math.max(64 * 1024, bytes.length >> 2);
  await writeDurably(path, await compress(bytes, { params, chunkSize }));
  await syncAbove(path, folder);
  return page;
}

// Folders that those above are known to list on the disk.
const listed = new Set<string>();

// The folder of a page may be as new as the page, and made by somebody else.
async function syncAbove(path: string, landing: string): Promise<void> {
  for (let made = dirname(path); made.length >= landing.length; made = dirname(made)) {
    if (listed.has(made)) return;
    await syncFolder(dirname(made));
    listed.add(made);
  }
}

async function isLanded(folder: string, page: LandedPage): Promise<boolean> {
  if (!existsSync(pagePath(folder, page.sha256))) return false;
  return readPage(folder, page).then(
    () => true,
    () => false,
  );
}

/** The bytes of a landed page, checked against its name; throws PageDamage where they are not what was landed. */
export async function readPage(folder: string, page: LandedPage): Promise<Buffer> {
  const path = pagePath(folder, page.sha256);
  const compressed = await readFile(path).catch((error: unknown) => {
    if (isCode(error, "ENOENT")) throw new PageDamage(`${faultOf(path, error)}; ${damageAdvice}`);
    // What keeps a whole file from being read is no damage to it, and may be gone tomorrow.
    throw new AuditlakeError(`${faultOf(path, error)}; mend that and run again`);
  });
  try {
    const room = { maxOutputLength: page.bytes + 1, chunkSize: Math.max(64, page.bytes + 1) };
    const bytes = await decompress(compressed, room);
    if (createHash("sha256").update(bytes).digest("hex") !== page.sha256)
      throw new Error("its content does not match its name");
    return bytes;
  } catch (error) {
    throw new PageDamage(`${faultOf(path, error)}; ${damageAdvice}`);
  }
}

const damageAdvice =
  "restore it from a backup or read its window again, twice where it is not final yet";

function faultOf(path: string, error: unknown): string {
  return `landed page ${path} cannot be read: ${messageOf(error)}`;
}

/** Where a page lies. */
export function pagePath(folder: string, sha256: string): string {
  return join(pagesFolder(folder), sha256.slice(0, 2), `${sha256}.zst`);
}

/** The folder that all pages lie below. */
export function pagesFolder(folder: string): string {
  return join(folder, "pages");
}
