import type { RecordShape } from "./batch.ts";
import type { Manifest } from "../landing/manifests.ts";
import type { ReadFacts } from "../store/loading/read-facts.ts";

/** Where the records of a read are on its pages, and what names them. */
export function shapeOf({ records_at: recordsAt, id_at: idAt = null }: Manifest): RecordShape {
  return { recordsAt, idAt };
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
    parts: manifest.pages.map(({ part = 0 }) => part),
  };
}
