import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { resolveHome } from "../../../../../pipeline/base/home/layout.ts";
import { newHome } from "../../../../support/home.ts";

it("runs that a killed process left as running are ended, and no other", async () => {
  using home = newHome();
  await home.load([{ time: 1_767_225_600, event_name: "job_kill" }]);
  await home.load([{ time: 1_767_225_601, event_name: "job_kill" }]);
  const instance = await DuckDBInstance.create(resolveHome(home.home).warehouse);
  const connection = await instance.connect();
  const first = "(select min(run_id) from ingest_runs)";
  await connection.run(`update ingest_runs set outcome = 'running' where run_id = ${first}`);
  connection.closeSync();
  instance.closeSync();
  expect((await home.run(["publish"])).code).toBe(0);
  expect(await home.rows("select outcome, error from ingest_runs order by run_id")).toEqual([
    { outcome: "interrupted", error: "its process ended before the run did" },
    { outcome: "done", error: null },
  ]);
});
