import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import { resolveHome } from "../../../pipeline/base/home/layout.ts";
import type { TestHome } from "../../support/home.ts";

/** The status of an interval of time in the ledger. */
export type Interval = {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly state: "finalized" | "gap";
};

/** Opens the database that a home writes to, for as long as the work takes. */
export async function inWarehouse(
  { home }: TestHome,
  work: (connection: DuckDBConnection) => Promise<void>,
): Promise<void> {
  const instance = await DuckDBInstance.create(resolveHome(home).warehouse);
  const connection = await instance.connect();
  await connection.run("set TimeZone = 'UTC'");
  await work(connection);
  connection.closeSync();
  instance.closeSync();
}

/** Enters reads into the ledger of a home; `number` orders later ones after earlier ones, which they replace. */
export async function enterReads(
  home: TestHome,
  source: string,
  reads: readonly Interval[],
  number = 1,
): Promise<void> {
  const columns =
    "read_id, run_id, source, window_start, window_end, read_at, state, pages, fetched, inserted, duplicate, quarantined, vanished, outside, digest, evidence, signs, neutral, parts, next_followed, half_asked, is_mark";
  await inWarehouse(home, async (connection) => {
    for (const [i, { fromMs, untilMs, state }] of reads.entries()) {
      const values = `'w${number}-${i}', 'r', '${source}', epoch_ms(${fromMs}), epoch_ms(${untilMs}), epoch_ms(${untilMs + number}), '${state}', 0, 0, 0, 0, 0, 0, 0, '', [], [], false, 1, false, false, ${state === "gap"}`;
      await connection.run(`insert into window_reads (${columns}) values (${values})`);
    }
  });
}
