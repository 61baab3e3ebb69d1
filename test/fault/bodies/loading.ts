import { resolveHome } from "../../../pipeline/base/home/layout.ts";
import type { Manifest } from "../../../pipeline/core/landing/manifests.ts";
import { type LandedPage } from "../../../pipeline/core/landing/store.ts";
import { putWarehouse } from "../../support/empty-warehouse.ts";
import { landPage } from "../../support/land.ts";
import { loadManifest } from "../../../pipeline/core/load/read.ts";
import { newRun } from "../../../pipeline/core/store/ledger/record.ts";
import type { Writer } from "../../../pipeline/core/writer/open.ts";
import { withWriter } from "../../../pipeline/core/session/write.ts";
import type { Settings } from "../../../pipeline/base/home/settings.ts";
import type { ReadFacts, ReadResult } from "../../../pipeline/core/store/loading/read-facts.ts";
import { configSchema } from "../../../schemas/config.ts";
import { testWorld } from "../../support/world.ts";
import { maxRecordBytes, type Accepted } from "./staging.ts";

/** A body that staging accepted. */
export type Sent = { readonly seed: number; readonly bytes: Buffer; readonly accepted: Accepted };

/** Loads the pages in one read, as an import does; returns the outcome of each. */
export type Load = (pages: readonly Sent[]) => Promise<ReadResult>;

/** A home of its own in the folder, while `work` loads into it. */
export async function withLoad(folder: string, work: (load: Load) => Promise<void>): Promise<void> {
  const config = configSchema.parse({ threads: 1, memory_limit: "400MB" });
  const flags = { logLevel: "silent", progress: "none", quiet: true } as const;
  const home = resolveHome(`${folder}/home`);
  const settings: Settings = { home, config, configFile: undefined, configFolder: folder, flags };
  let reads = 0;
  await putWarehouse(home.root);
  await withWriter(settings, testWorld(), "import", (writer) =>
    work((pages) => load(settings, writer, `read${(reads += 1)}`, pages)),
  );
}

async function load(
  { home }: Settings,
  writer: Writer,
  readId: string,
  sent: readonly Sent[],
): Promise<ReadResult> {
  const seenAt = "2026-01-06 00:00:00";
  const where = { source: "bodies", windowStart: null, windowEnd: null, windowMs: 86_400_000 };
  const read: ReadFacts = { readId, runId: readId, seenAt, parts: [], ...where };
  const run = newRun({
    runId: readId,
    source: "bodies",
    command: "import",
    startedAt: seenAt,
    rangeStart: null,
    rangeEnd: null,
    catalogVersion: writer.catalogVersion,
    toolVersion: "test",
  });
  const landed: LandedPage[] = [];
  for (const { bytes, accepted } of sent)
    landed.push(await landPage(home.landing, bytes, accepted.format));
  const manifest = { ...buildManifest(read, landed), max_record_bytes: maxRecordBytes };
  const how = { counts: { requests: 0, retries: 0 }, finishedAt: () => seenAt };
  const { loaded } = await loadManifest(manifest, run, home, writer, how);
  return loaded.result;
}

function buildManifest(read: ReadFacts, pages: readonly LandedPage[]): Manifest {
  return {
    version: 1,
    read_id: read.readId,
    run_id: read.runId,
    command: "import",
    source: read.source,
    window_start: null,
    window_end: null,
    window_ms: read.windowMs,
    read_at: read.seenAt,
    server_time: null,
    closed: false,
    nightly: false,
    records_at: null,
    pages: [...pages],
  };
}
