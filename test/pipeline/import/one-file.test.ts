import { expect, it } from "vitest";
import { homeAt } from "../../../pipeline/home/layout.ts";
import { readManifests } from "../../../pipeline/landing/manifests.ts";
import { homeWithWarehouse } from "../../support/home.ts";

it("names the read and its run an import, in landing as in the ledger", async () => {
  using home = await homeWithWarehouse();
  expect((await home.load([{ time: 1_767_225_600, event_name: "job_kill" }])).code).toBe(0);
  // Of a run that the database does not have, a rebuild knows only what landing says.
  const { manifests } = readManifests(homeAt(home.home).landing);
  const runs = await home.rows("select run_id, command from ingest_runs");
  expect(manifests.map(({ run_id, command }) => ({ run_id, command }))).toEqual(runs);
  expect(runs.map(({ command }) => command)).toEqual(["import"]);
});
