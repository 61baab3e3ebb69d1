import type { DuckDBConnection } from "@duckdb/node-api";
import { notify, warning } from "../../base/notice/notice.ts";
import { findReports, queriesFolder } from "../../base/report/find.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { Question } from "../../base/sql/question.ts";
import type { World } from "../../base/world.ts";
import { queryProcess, runSandboxed } from "../sandbox/query.ts";
import { readLimits } from "../store/limits.ts";
import { newRunId } from "../store/ledger/record.ts";
import { bringDecisions } from "./decisions.ts";
import { chooseDetections, type Detection } from "./detections.ts";
import { evaluateDetections } from "./evaluate.ts";
import { type Ask, askOn } from "./hits.ts";

/** The detections of the package and of the user's own folder, as the configuration has them. */
export function configuredDetections(settings: Settings, world: World): Detection[] {
  const { reports } = findReports(queriesFolder(settings, {}, world));
  return chooseDetections(reports, settings.config);
}

/**
 * Brings findings up to date under the lock of the caller: decisions first, then all detections over what became known.
 * One that fails is a warning; the next run evaluates it over the same time.
 */
export async function detect(
  connection: DuckDBConnection,
  settings: Settings,
  world: World,
): Promise<void> {
  const detections = configuredDetections(settings, world);
  await bringDecisions(settings.home, connection);
  const failed = await evaluateDetections(connection, detections, {
    ask: askFor(connection, settings, world),
    runId: newRunId(world.now(), world.random),
    world,
  });
  for (const { name, error } of failed)
    notify(world, warning("detection_failed", { detection: name, error }));
}

// A detection of the user's own runs in confinement over the published file, which has the rows of this run already.
function askFor(connection: DuckDBConnection, settings: Settings, world: World): Ask {
  const own = askOn(connection, world.signal);
  return (detection, question) =>
    detection.report.isBuiltIn
      ? own(detection, question)
      : askConfined(detection, question, settings, world);
}

function askConfined(
  _: Detection,
  { sql, values }: Question,
  { home, config }: Settings,
  world: World,
): ReturnType<Ask> {
  const how = { isReport: true, source: undefined, spill: undefined, childFile: queryProcess };
  const limits = {
    timeoutMs: config.report_timeout,
    timeoutName: "report_timeout in the configuration",
    maxRows: Number.MAX_SAFE_INTEGER,
    maxBytes: undefined,
    ...readLimits(config),
  };
  return runSandboxed(
    { database: home.published, sql, values, result: "rows", ...how },
    limits,
    world,
  );
}
