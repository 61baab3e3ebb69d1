import { createHash } from "node:crypto";
import type { OwnFiles } from "./changes.ts";
import type { AddFile } from "./log.ts";
import type { Publisher } from "./publisher.ts";
import { tag } from "./snapshot.ts";

type Records = Pick<Publisher, "store" | "recorded">;

/** The days of a table of which a file is missing in the lake, or holds other bytes than were put there. */
export async function damagedDays(
  records: Records,
  table: string,
  own: OwnFiles,
): Promise<ReadonlySet<string>> {
  const damaged = new Set<string>();
  for (const [day, files] of own)
    for (const file of files)
      if (!damaged.has(day) && !(await isWhole(records, table, file))) damaged.add(day);
  return damaged;
}

async function isWhole(
  { store, recorded }: Records,
  table: string,
  { path, tags }: AddFile,
): Promise<boolean> {
  const name = `${table}/${decodeURIComponent(path)}`;
  const bytes = await store.get(name);
  if (bytes === undefined) return false;
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const logged = tags?.[tag.sha256];
  return sha256 === logged && sha256 === (recorded?.get(name) ?? logged);
}
