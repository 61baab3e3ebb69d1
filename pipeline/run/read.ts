import {
  landPage,
  readPage,
  writeManifest,
  type LandedPage,
  type Manifest,
} from "../landing/store.ts";
import type { NamedSource } from "../settings.ts";
import { readWindow, type Window } from "../source/audits.ts";
import type { Client } from "../source/client.ts";
import type { ReadFacts } from "../warehouse/load.ts";
import type { World } from "../world.ts";
import type { PageBytes } from "./load.ts";
import { toTimestamp } from "./totals.ts";

/** What all reads of one run have in common. */
export type ReadPlan = {
  readonly runId: string;
  readonly source: NamedSource;
  readonly landing: string;
  readonly nightly: boolean;
  /** Start of the run's first window, milliseconds. */
  readonly rangeStartMs: number;
};

/**
 * Reads one window from the service and lands every page before anything is loaded. The manifest it returns is
 * on disk: from here on the read survives a crash.
 */
export async function landWindow(
  client: Client,
  plan: ReadPlan,
  window: Window,
  world: World,
): Promise<Manifest> {
  const readAtMs = world.now();
  const pages: LandedPage[] = [];
  let serverTimeMs: number | undefined;
  for await (const page of readWindow(client, plan.source, window)) {
    serverTimeMs ??= page.serverTimeMs;
    if (page.records > 0) pages.push(await landPage(plan.landing, page.bytes, page.format));
  }
  const clockMs = serverTimeMs ?? readAtMs;
  const manifest: Manifest = {
    version: 1,
    read_id: `${plan.runId}-${new Date(window.startMs).toISOString().replaceAll(/[-:]|\.\d+/g, "")}`,
    run_id: plan.runId,
    command: "ingest",
    source: plan.source.name,
    window_start: toTimestamp(window.startMs),
    window_end: toTimestamp(window.endMs),
    window_ms: plan.source.window,
    read_at: toTimestamp(readAtMs),
    server_time: serverTimeMs === undefined ? null : toTimestamp(serverTimeMs),
    closed: window.endMs + plan.source.settle <= clockMs,
    nightly: plan.nightly,
    range_start: toTimestamp(plan.rangeStartMs),
    records_at: plan.source.audits.records_at,
    pages,
  };
  await writeManifest(plan.landing, manifest);
  return manifest;
}

/** The read that a manifest describes. */
export function factsOf(manifest: Manifest): ReadFacts {
  return {
    readId: manifest.read_id,
    runId: manifest.run_id,
    source: manifest.source,
    windowStart: manifest.window_start,
    windowEnd: manifest.window_end,
    windowMs: manifest.window_ms,
    seenAt: manifest.read_at,
  };
}

/** The landed pages of a manifest, one after the other. */
export async function* pagesOf(landing: string, manifest: Manifest): AsyncGenerator<PageBytes> {
  for (const page of manifest.pages) yield { page, bytes: await readPage(landing, page) };
}
