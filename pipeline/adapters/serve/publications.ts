import { setInterval } from "node:timers/promises";
import { AuditlakeError } from "../../base/errors.ts";
import { readMark } from "./pool.ts";
import type { Site } from "./site.ts";

/**
 * Prepares pages for each publication that is made while the server runs, before the first reader requests them. A
 * preparation that fails is left to that reader, whose page shows why.
 */
export async function preparePublications(
  { settings, world: { signal } }: Pick<Site, "settings" | "world">,
  prepare: () => Promise<void>,
  everyMs = 1000,
): Promise<void> {
  const { published } = settings.home;
  let prepared = findMark(published);
  try {
    for await (const _ of setInterval(everyMs, undefined, { ref: false, signal })) {
      const mark = findMark(published);
      if (mark === undefined || mark === prepared) continue;
      prepared = mark;
      await prepare().catch(() => undefined);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

// The file is missing while an operator replaces the home.
function findMark(path: string): string | undefined {
  try {
    return readMark(path);
  } catch (error) {
    if (error instanceof AuditlakeError) return undefined;
    throw error;
  }
}
