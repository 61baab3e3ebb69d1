import { mkdirSync } from "node:fs";
import { expect, it } from "vitest";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import { withRunId } from "../../../../pipeline/outgoing/schedule/runner.ts";
import { listJobs } from "../../../../pipeline/outgoing/schedule/job.ts";
import { scheduleSchema } from "../../../../schemas/schedule.ts";
import { newHome } from "../../../support/home.ts";
import { writePublished } from "../../published-file.ts";
import { settingsIn } from "./settings.ts";

const startedMs = Date.UTC(2026, 10, 7);
const run = (id: string, source: string, second: number, outcome: string): string =>
  `insert into ingest_runs
     (run_id, source, command, started_at, outcome, windows, pages, fetched, inserted, duplicate, quarantined, vanished,
      requests, retries, bytes, catalog_version, tool_version)
   values ('${id}', '${source}', 'ingest', timestamp '2026-11-07' + to_seconds(${second}), '${outcome}',
      1, 1, 3, 3, 0, 0, 0, 1, 0, 100, 'c', 't')`;

it("the first failed run is named if one reads several sources, and none from before the job", async () => {
  using home = newHome();
  mkdirSync(home.home, { mode: 0o700 });
  await writePublished(resolveHome(home.home).published, [
    run("yesterday", "east", -60, "failed"),
    run("east", "east", 1, "done"),
    run("north", "north", 2, "failed"),
    run("south", "south", 3, "partial"),
    run("west", "west", 4, "done"),
  ]);
  const [job] = listJobs(
    scheduleSchema.parse({ jobs: { nightly: { cron: "@daily", ingest: {} } } }),
  );
  const settings = settingsIn(home, {});
  const outcome = await withRunId({ code: 6, cause: "refused" }, job!, startedMs, settings);
  expect(outcome).toEqual({ code: 6, cause: "refused", runId: "north" });
  const later = startedMs + 4000;
  expect(await withRunId({ code: 6 }, job!, later, settings)).toEqual({ code: 6, runId: "west" });
  expect(await withRunId({ code: 0 }, job!, startedMs, settings)).toEqual({ code: 0 });
});
