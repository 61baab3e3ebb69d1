import { readFile, rm } from "node:fs/promises";
import { basename } from "node:path";

/** Where it stands what a file of rows is. */
export const metaOf = (path: string): string => `${path}.meta.json`;

/** Removes what `--meta` wrote beside a former file of this path; what somebody else wrote under that name stays. */
export async function removeMeta(path: string): Promise<void> {
  const text = await readFile(metaOf(path), "utf8").catch(() => "");
  if (isOwn(text, basename(path))) await rm(metaOf(path), { force: true });
}

function isOwn(text: string, name: string): boolean {
  try {
    const meta: unknown = JSON.parse(text);
    if (typeof meta !== "object" || meta === null || !("file" in meta)) return false;
    return meta.file === name && "sha256" in meta && "auditlake" in meta;
  } catch {
    return false;
  }
}
