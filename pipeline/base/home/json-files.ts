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
  /** Stands right behind the path of one that cannot be read: what it is, and what to do. */
  readonly unreadable: string;
};

/** Writes one file durably. */
export async function writeJson(folder: string, name: string, value: unknown): Promise<void> {
  const text = `${JSON.stringify(value, null, 1)}\n`;
  await writeDurably(join(folder, `${name}.json`), Buffer.from(text));
}

/** What all files hold, in the order of their keys; throws AuditlakeError for one that cannot be read. */
export function listJson<T>(files: JsonFiles<T>): T[] {
  const { folder, key } = files;
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return names
    .map((name) => parse(join(folder, name), files))
    .sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

function parse<T>(path: string, { schema, unreadable }: JsonFiles<T>): T {
  try {
    return schema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    throw new AuditlakeError(`${path}${unreadable}`);
  }
}
