import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isAbandoned } from "../../base/home/drafts.ts";
import type { Home } from "../../base/home/layout.ts";
import { sweepLanding } from "../landing/sweep.ts";
import { removeDatabase } from "../store/wal.ts";

/**
 * Removes what killed processes left in a home. That is drafts of landed files, pages that nothing names, a copy on its
 * way to being published, and folders that readers spilled to. Only the holder of the run lock may call it.
 */
export async function sweepHome({ root, landing, draft }: Home, nowMs: number): Promise<void> {
  await sweepLanding(landing);
  removeDatabase(draft);
  for (const name of readdirSync(root))
    if (isLeft(name, join(root, name), nowMs))
      rmSync(join(root, name), { recursive: true, force: true });
}

const spill = /^\.spill-(\d+)-[0-9a-f]+$/;

// Readers take no lock.
function isLeft(name: string, path: string, nowMs: number): boolean {
  const pid = spill.exec(name)?.[1];
  return pid !== undefined && isAbandoned(path, Number(pid), nowMs);
}
