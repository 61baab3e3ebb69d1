import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { z } from "zod";
import { AuditlakeError } from "../errors.ts";
import { writeDurably } from "./durable.ts";

/** A folder of small JSON files, each of one thing that stays. */
export type JsonFiles<T> = {
  readonly folder: string;
  readonly schema: z.ZodType<T>;
  /** What the files are in the order of. */
  readonly key: (one: T) => string;
  /** Follows the path of an unreadable file in its error: what the file is, and what to do. */
  readonly unreadable: string;
};

/** Writes one file durably. */
export async function writeJson(folder: string, name: string, value: unknown): Promise<void> {
  const text = `${JSON.stringify(value, null, 1)}\n`;
  await writeDurably(join(folder, `${name}.json`), Buffer.from(text));
}

/** Reads all files, in the order of their keys; throws AuditlakeError for an unreadable one. */
export function listJson<T>(files: JsonFiles<T>): T[] {
  const { folder, key } = files;
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return names
    .map((name) => parseFile(join(folder, name), files))
    .sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

function parseFile<T>(path: string, { schema, unreadable }: JsonFiles<T>): T {
  try {
    return schema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    throw new AuditlakeError(`${path}${unreadable}`);
  }
}

// A string, or what opens, closes or parts a value; numbers and words between them do not matter.
const token = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/gs;

/**
 * Finds the first key that an object of a JSON text has twice, unescaped; undefined if none. Readers differ in which of
 * both values they use. The text must be valid JSON.
 */
export function findRepeatedKey(json: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  let last = "";
  for (const [text] of json.matchAll(token)) {
    if (text === "{") open.push(new Set());
    else if (text === "[") open.push(undefined);
    else if (text === "}" || text === "]") open.pop();
    else if (text === ":") {
      const keys = open.at(-1)!;
      const key = JSON.parse(last) as string;
      if (keys.has(key)) return key;
      keys.add(key);
    }
    last = text;
  }
  return undefined;
}
