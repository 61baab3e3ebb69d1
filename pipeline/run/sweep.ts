import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { isCode } from "../errors.ts";
import type { Home } from "../home.ts";
import { sweepDrafts } from "../landing/sweep.ts";
import { removeDraft } from "../warehouse/publish.ts";

const dayMs = 86_400_000;

/**
 * Removes what killed processes left in a home: drafts of landed files, a copy on its way to being published,
 * folders that readers spilled to. Only the holder of the run lock may call it.
 */
export function sweepHome({ root, landing, draft }: Home, nowMs: number): void {
  sweepDrafts(landing);
  removeDraft(draft);
  for (const name of readdirSync(root))
    if (isLeft(name, join(root, name), nowMs))
      rmSync(join(root, name), { recursive: true, force: true });
}

const spill = /^\.spill-(\d+)-[0-9a-f]+$/;

// Readers take no lock, and those on another machine that shares the folder cannot be seen: what one spilled to
// goes after a day only.
function isLeft(name: string, path: string, nowMs: number): boolean {
  const pid = spill.exec(name)?.[1];
  if (pid === undefined || isRunning(Number(pid))) return false;
  const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: nowMs };
  return nowMs - mtimeMs > dayMs;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isCode(error, "EPERM");
  }
}
