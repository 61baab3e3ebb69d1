import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { parseJson } from "../../base/rows/json-text.ts";
import { asNew, placeFile } from "../../base/home/durable.ts";
import { appendLines } from "../../base/home/growing-file.ts";
import { AuditlakeError, isCode, getMessage } from "../../base/errors.ts";
import type { Home } from "../../base/home/layout.ts";
import type { PutFile } from "./publisher.ts";

// A home's own state of its lake: its identity as an ingester, and its files.

const identity = z.object({ ingester: z.string().regex(/^[0-9a-f]{16}$/) });

/** Where a home keeps what concerns the lake. */
export function getLakeFolder({ root }: Home): string {
  return join(root, "lake");
}

/**
 * Returns the id that distinguishes the files of this home in the lake; created once. Throws AuditlakeError if its file
 * is invalid.
 */
export async function readIngester(home: Home): Promise<string> {
  const path = join(getLakeFolder(home), "ingester.json");
  const found = identity.safeParse(parseJson((await readText(path)) ?? (await makeId(path))));
  if (found.success) return found.data.ingester;
  throw new AuditlakeError(
    `${path} has no valid ingester id of this home; restore it from a copy: with a new id, the lake would have its rows twice`,
  );
}

// Of two commands that begin at once the first one's counts.
async function makeId(path: string): Promise<string> {
  const text = `${JSON.stringify({ ingester: randomBytes(8).toString("hex") })}\n`;
  try {
    await placeFile(path, (draft) => writeFile(draft, text, asNew), { put: link });
    return text;
  } catch (error) {
    if (!isCode(error, "EEXIST")) throw error;
    return await readFile(path, "utf8");
  }
}

/** A new, empty folder for files on their way, of one who holds the lock for it; `await using` removes it. */
export async function openStagingFolder(
  home: Home,
  name: "staging" | "verified",
): Promise<AsyncDisposable & { readonly path: string }> {
  const path = join(getLakeFolder(home), name);
  await rm(path, { recursive: true, force: true });
  await mkdir(path, { mode: 0o700 });
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

/** Where the home records each file that it put into the lake. */
function recordPath(home: Home): string {
  return join(getLakeFolder(home), "files.ndjson");
}

export function hasPutFiles(home: Home): boolean {
  return existsSync(recordPath(home));
}

/** Adds files to the home's own record of what it put into the lake. */
export async function recordFiles(home: Home, files: readonly PutFile[]): Promise<void> {
  if (files.length === 0) return;
  const lines = files.map((file) => JSON.stringify(file));
  await appendLines(recordPath(home), lines);
}

/** The SHA-256 of each file that the home put into the lake, by its own record; the newest of a name counts. */
export async function readRecordedFiles(home: Home): Promise<Map<string, string>> {
  const text = (await readText(recordPath(home))) ?? "";
  const lines = text.split("\n").filter((line) => line !== "");
  const files = lines.map((line) => recorded.safeParse(parseJson(line)).data);
  // The last line of a run that was killed may be cut off.
  return new Map(
    files.flatMap((file) => (file ? [[`${file.table}/${file.path}`, file.sha256]] : [])),
  );
}

const recorded = z.object({ table: z.string(), path: z.string(), sha256: z.string() });

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isCode(error, "ENOENT")) return undefined;
    throw new AuditlakeError(`cannot read ${path}: ${getMessage(error)}`);
  }
}
