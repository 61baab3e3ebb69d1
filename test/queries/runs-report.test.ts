import { expect, test } from "vitest";
import { newRandom } from "../../fixtures/random.ts";
import { insert, openLedger, params, sources, zeros } from "./ledger.ts";
import { comparable } from "./oracle/comparable.ts";
import { hourMs, stamp, type Row } from "./oracle/rows.ts";

const { connection, rowsOf } = await openLedger();

test.each([1, 2])("runs_report shows what runs read again, seed %i", async (seed) => {
  const random = newRandom(seed, "read again");
  const runs = Array.from({ length: 40 }, (_, i) => {
    const [inserted, duplicate] = [random.int(0, 900), random.pick([0, 1, random.int(2, 900)])];
    const quarantined = random.int(0, 3);
    return {
      run_id: `run ${String(i).padStart(2, "0")}`,
      source: random.pick(sources),
      command: random.pick(["ingest", "backfill", "import"]),
      started_at: stamp(params.since + random.int(-40, 200) * hourMs),
      outcome: random.pick(["done", "partial", "failed"]),
      windows: random.int(0, 31),
      fetched: inserted + duplicate + quarantined,
      inserted,
      duplicate,
      quarantined,
    };
  });
  await insert(
    connection,
    "ingest_runs",
    runs.map((run) => ({
      ...run,
      catalog_version: "x",
      tool_version: "x",
      ...zeros("pages vanished requests retries bytes"),
    })),
  );
  const rows = runs
    .filter(({ started_at: at }) => at >= stamp(params.since) && at < stamp(params.until))
    .filter(({ duplicate }) => duplicate > 0)
    .map(({ duplicate, ...run }) => ({
      started_at: run.started_at,
      command: run.command,
      outcome: run.outcome,
      windows: run.windows,
      fetched: run.fetched,
      inserted: run.inserted,
      duplicates: duplicate,
      duplicate_rate: duplicate / run.fetched,
      quarantined: run.quarantined,
      run_id: run.run_id,
      source: run.source,
    }));
  expect(rows.length).toBeGreaterThan(5);
  expect(rows.length).toBeLessThan(runs.length);
  const found = await rowsOf("duplicate_records");
  // Rows of one moment are ordered by their source, which is not compared.
  expect(found).toEqual(comparable(rows.toSorted(bySource)));
});

const bySource = (a: Row, b: Row): number => {
  const key = (row: Row): string => `${row["started_at"]} ${row["source"]} ${row["run_id"]}`;
  return key(a) < key(b) ? -1 : 1;
};
