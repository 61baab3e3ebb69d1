import { existsSync } from "node:fs";
import { join } from "node:path";
import { writeDurably } from "../../base/home/durable.ts";
import { noteLanded } from "../evidence/log.ts";

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
