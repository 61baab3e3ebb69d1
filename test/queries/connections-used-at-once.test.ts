import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { reports, runReport } from "./run.ts";

// A user creates a connection at noon of the second; its uses are given by name, creator and hour.
const uses = [
  ["job_result_export", "ann", 12, "c1"],
  ["data_transfer_create", "ann", 15, "c1"],
  ["data_transfer_run", "ann", 18, "c9"],
  ["job_result_export", "ann", 36, "c1"],
  // Before, too late, by another user, and without moved data.
  ["job_result_export", "ann", 11, "c1"],
  ["job_result_export", "ann", 37, "c1"],
  ["job_result_export", "bob", 13, "c1"],
  ["sign_in", "ann", 13, "c1"],
] as const;

const at = (hour: number): string => `timestamp '2026-03-02' + interval ${hour} hour`;
const row = (name: string, actor: string, hour: number, own: string | null, to: string | null) =>
  `('${name}', '${actor}', ${at(hour)}, ${own === null ? "null" : `'${own}'`}, ${to === null ? "null" : `'${to}'`})`;

it("shows when a connection was first used by its maker, how often, and how often by its name", async () => {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  for (const made of ["connection_create", "paas_create"]) {
    const rows = [
      row(made, "ann", 12, "c1", null),
      ...uses.map(([name, actor, hour, to]) => row(name, actor, hour, null, to)),
    ];
    await connection.run(
      `create or replace table events as select 's' as source, 1::bigint as user_id, 'succeeded' as outcome,
         'bucket' as resource_name, null::varchar as target_connection, null::varchar as exported_job_id, *
       from (values ${rows.join(", ")})
       as e(canonical_name, actor, event_time, resource_id, target_resource_id)`,
    );
    const report = reports.find(({ name }) => name === "connections_used_at_once")!;
    const range = new Map([
      ["since", "2026-03-01"],
      ["until", "2026-03-08"],
    ]);
    const { rows: found } = await runReport(connection, report, range);
    expect(found).toEqual([
      {
        made_at: "2026-03-02 12:00:00",
        actor: "ann",
        connection: "bucket",
        connection_id: "c1",
        uses: "4",
        uses_that_name_it: "3",
        first_use_at: "2026-03-02 12:00:00",
        user_id: "1",
        source: "s",
      },
    ]);
  }
  connection.closeSync();
  instance.closeSync();
});
