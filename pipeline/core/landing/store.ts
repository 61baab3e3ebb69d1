import { existsSync } from "node:fs";
import { open, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { constants, zstdCompress, zstdDecompress } from "node:zlib";
import { z } from "zod";
import { AuditlakeError, getMessage, isCode } from "../../base/errors.ts";
import {
  computeFileSha256,
  computeSha256,
  syncFolder,
  writeDurably,
} from "../../base/home/durable.ts";
import { noteLanded } from "../evidence/log.ts";
import type { Journal } from "./journal.ts";

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

const hash = z.string().regex(/^[0-9a-f]{64}$/);

/** Where a page lies in the file that it shares with others of its read. */
export const pagePlace = z.strictObject({ file: hash, start: z.int(), length: z.int() });

/** A page as a manifest names it. */
export const landedPage = z.strictObject({
  sha256: hash,
  bytes: z.int(),
  format: z.enum(["json", "ndjson", "csv"]),
  part: z.int().optional().describe("the requested range, of a read in parts"),
  place: pagePlace
    .optional()
    .describe("of manifests before 4; since then it is in a file of its own"),
});

export type LandedPage = z.infer<typeof landedPage>;
/** A landed page that is missing, or differs from its name. */
export class PageDamage extends AuditlakeError {
  override name = "PageDamage";
}

export type PackedPage = { readonly page: LandedPage; readonly packed: Buffer };

/** Describes a page for a manifest before it is stored. */
export function describePage(bytes: Buffer, format: LandedPage["format"]): LandedPage {
  return { sha256: computeSha256(bytes), bytes: bytes.length, format };
}

/** The bytes of a page as they lie on the disk; the same bytes always give the same. */
export function packBytes(bytes: Buffer): Promise<Buffer> {
  const params = { [constants.ZSTD_c_compressionLevel]: 1 };
  // A buffer for the whole page needs one round trip to the thread pool instead of one for every few kilobytes.
  const chunkSize = Math.max(64 * 1024, bytes.length >> 2);
  return compress(bytes, { params, chunkSize });
}

/**
 * Writes a single page under its SHA-256, durably, before it is loaded; an intact file stays. Calls `note` with the
 * page first: see journal.ts.
 */
export async function landPacked(
  folder: string,
  { page, packed: content }: PackedPage,
  note: Journal["note"] = () => Promise.resolve(),
): Promise<LandedPage> {
  const path = getPagePath(folder, page);
  await note(page.sha256);
  // The process that wrote the file may have been killed before the folder entry was durable, or may still be running.
  if (await isLanded(folder, page)) await syncFolder(dirname(path));
  else await writeDurably(path, content);
  await syncAbove(path, folder);
  return page;
}

// Folders that those above are known to list on the disk.
const listed = new Set<string>();

/** Waits until a page is durable up to the landing folder: another process may have just created its folder. */
export async function syncAbove(path: string, landing: string): Promise<void> {
  for (let made = dirname(path); made.length >= landing.length; made = dirname(made)) {
    if (listed.has(made)) return;
    await syncFolder(dirname(made));
    listed.add(made);
  }
}

async function isLanded(folder: string, page: LandedPage): Promise<boolean> {
  if (!existsSync(getPagePath(folder, page))) return false;
  return readPage(folder, page).then(
    () => true,
    () => false,
  );
}

/** The bytes of a landed page, checked against its name; throws PageDamage where they are not what was landed. */
export async function readPage(folder: string, page: LandedPage): Promise<Buffer> {
  const path = getPagePath(folder, page);
  const content = await readPackedBytes(path, page).catch((error: unknown) => {
    if (isCode(error, "ENOENT"))
      throw new PageDamage(`${describeFault(path, error)}; ${damageAdvice}`);
    // An access fault is not damage and may be temporary.
    throw new AuditlakeError(`${describeFault(path, error)}; fix that and run again`);
  });
  try {
    const limits = { maxOutputLength: page.bytes + 1, chunkSize: Math.max(64, page.bytes + 1) };
    const bytes = await decompress(content, limits);
    if (computeSha256(bytes) !== page.sha256)
      throw new Error("its content does not match its name");
    return bytes;
  } catch (error) {
    throw new PageDamage(`${describeFault(path, error)}; ${damageAdvice}`);
  }
}

async function readPackedBytes(path: string, { place }: LandedPage): Promise<Buffer> {
  if (place === undefined) return readFile(path);
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(
    Buffer.alloc(place.length),
    0,
    place.length,
    place.start,
  );
  return buffer.subarray(0, bytesRead);
}

const damageAdvice = "restore it from a backup or re-read its window, twice if it is not final yet";

function describeFault(path: string, error: unknown): string {
  return `landed page ${path} cannot be read: ${getMessage(error)}`;
}

/**
 * Whether the pages of a read lie where they are said to. Each is alone and whole, or they fill a file that holds what
 * it has its name for.
 */
export async function areWhole(folder: string, pages: readonly LandedPage[]): Promise<boolean> {
  const ends = new Map<string, number>();
  for (const page of pages) {
    const { place } = page;
    if (place === undefined) {
      if (!(await isLanded(folder, page))) return false;
    } else {
      if (place.start !== (ends.get(place.file) ?? 0)) return false;
      ends.set(place.file, place.start + place.length);
    }
  }
  for (const [file, end] of ends) if (!(await isWholeFile(folder, file, end))) return false;
  return true;
}

async function isWholeFile(folder: string, file: string, length: number): Promise<boolean> {
  const path = joinPagePath(folder, file);
  try {
    return (await stat(path)).size === length && (await computeFileSha256(path)) === file;
  } catch {
    return false;
  }
}

/** The name of the file of a page: its own SHA-256, or that of the file which pages of its read share. */
export function getPageFile({ sha256, place }: LandedPage): string {
  return place?.file ?? sha256;
}

/** Where a page lies. */
export function getPagePath(folder: string, page: LandedPage): string {
  return joinPagePath(folder, getPageFile(page));
}

export function joinPagePath(folder: string, file: string): string {
  return join(getPagesFolder(folder), file.slice(0, 2), `${file}.zst`);
}

/** The folder that all pages lie below. */
export function getPagesFolder(folder: string): string {
  return join(folder, "pages");
}

/**
 * Writes a landed file durably, then adds its leaf to the log. `path` is relative to the landing folder; `content` is
 * what the file unpacks to, where that is something else. Every file that has a leaf is written here.
 */
export async function landFile(
  landing: string,
  path: string,
  bytes: Buffer,
  content: Buffer = bytes,
): Promise<void> {
  const file = join(landing, path);
  const isNew = !existsSync(file);
  await writeDurably(file, bytes);
  noteLanded(landing, path, content, isNew);
}

/** Lands a small JSON file of one thing that stays. */
export async function landJson(landing: string, path: string, value: unknown): Promise<void> {
  await landFile(landing, path, Buffer.from(`${JSON.stringify(value, null, 1)}\n`));
}
