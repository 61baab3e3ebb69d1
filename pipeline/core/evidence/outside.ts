import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { AuditlakeError, getMessage } from "../../base/errors.ts";
import { writeDurably } from "../../base/home/durable.ts";
import { isFolder } from "../../base/home/given-file.ts";
import { type Checkpoint, parseCheckpoint } from "./checkpoint.ts";

// The folder evidence.heads has one file for each head that was signed, SIZE.checkpoint.

const namePattern = /^([1-9]\d{0,15})\.checkpoint$/;

/** The newest head of a folder; undefined where it has none. Throws AuditlakeError where that cannot be known. */
export function readNewestHead(folder: string, origin: string): Checkpoint | undefined {
  if (!existsSync(folder) || !isFolder(folder))
    throw new AuditlakeError(
      `evidence.heads ${folder} is not a folder; mount it, or create it if it is new`,
    );
  const sizes = readdirSync(folder).flatMap((name) => Number(namePattern.exec(name)?.[1] ?? []));
  const newest = sizes.sort((a, b) => a - b).at(-1);
  if (newest === undefined) return undefined;
  const head = readHeadFile(getPath(folder, newest));
  if (head.origin === origin) return head;
  throw new AuditlakeError(
    `evidence.heads ${folder} has heads of ${head.origin}, but this home is ${origin}; choose a separate folder for this home`,
  );
}

/** Puts a head in the folder. Throws AuditlakeError where another one of this size is there, which stays. */
export async function keepHead(folder: string, note: string): Promise<void> {
  const { size, text } = parseCheckpoint(note);
  const path = getPath(folder, size);
  if (!existsSync(path)) return writeDurably(path, Buffer.from(note));
  if (readHeadFile(path).text === text) return;
  throw new AuditlakeError(
    `${path} differs from the head of this home: two homes write there, or the log was changed; the file was not replaced`,
  );
}

/** Reads a file with a head. Throws AuditlakeError, which names it. */
export function readHeadFile(path: string): Checkpoint & { readonly note: string } {
  try {
    const note = readFileSync(path, "utf8");
    return { ...parseCheckpoint(note), note };
  } catch (error) {
    throw new AuditlakeError(`${path} ${getMessage(error)}`);
  }
}

function getPath(folder: string, size: number): string {
  return join(folder, `${size}.checkpoint`);
}
