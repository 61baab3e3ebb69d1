import { expect, test } from "vitest";
import { addRead, newRun } from "../../../../../pipeline/core/store/ledger/record.ts";
import type {
  ReadFacts,
  ReadResult,
} from "../../../../../pipeline/core/store/loading/read-facts.ts";

const run = newRun({
  runId: "run",
  source: "default",
  command: "ingest",
  startedAt: "2026-03-01T00:00:00Z",
  rangeStart: null,
  rangeEnd: null,
  catalogVersion: "1",
  toolVersion: "1",
});
const counts = { fetched: 6, inserted: 3, duplicate: 2, quarantined: 1 };
const result = {
  ...counts,
  pages: [1, 2].map((page) => ({ ...counts, page, sha256: "", bytes: 10 * page })),
  missing: 4,
} as unknown as ReadResult;
const buildRead = (windowStart: string | null): ReadFacts => ({ windowStart }) as ReadFacts;

test.each([
  [["2026-03-01"], 1],
  [[null], 0],
  [["2026-03-01", "2026-03-02", "2026-03-03"], 3],
  [[null, null], 0],
  [[null, "2026-03-01", null], 1],
])("a run over %j counts the windows that were read, and no files", (starts, windows) => {
  const total = starts.reduce((sum, start) => addRead(sum, buildRead(start), result), run);
  const n = starts.length;
  expect(total).toEqual({
    ...run,
    windows,
    pages: 2 * n,
    fetched: 6 * n,
    inserted: 3 * n,
    duplicate: 2 * n,
    quarantined: n,
    missing: 4 * n,
    bytes: 30 * n,
  });
});
