import type { DuckDBConnection } from "@duckdb/node-api";
import { AuditlakeError, exitCode, getMessage, UsageError } from "../../base/errors.ts";
import { plainPrinter } from "../../base/notice/printer.ts";
import { formatCommand } from "../../base/command-line.ts";
import { count, queryRows, text } from "../../base/sql/typed-rows.ts";
import { formatCount } from "../../base/terminal/amounts.ts";
import { notify, warning } from "../../base/notice/notice.ts";
import { findReports, findQueriesFolder, listReports } from "../../base/report/find.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { Question } from "../../base/sql/question.ts";
import type { World } from "../../base/world.ts";
import { queryProcess, runSandboxed } from "../sandbox/query.ts";
import { readLimits } from "../store/limits.ts";
import { newRunId } from "../store/ledger/record.ts";
import { bringDecisions, hasNewDecisions } from "./decisions.ts";
import { chooseDetections, type Detection } from "./detections.ts";
import { evaluateDetections, isAnyDue } from "./evaluate.ts";
import { type Ask, askOn } from "./hits.ts";

const variable = "AUDITLAKE_FINDINGS";

/** Whether runs evaluate detections: not under `--no-findings`, and not where the environment says off. */
function isEnabled({ flags, config }: Settings, { env }: World): boolean {
  const given = env[variable];
  if (given !== undefined && given !== "on" && given !== "off")
    throw new UsageError(`${variable} is ${JSON.stringify(given)}; expected on or off`);
  return (
    flags.findings !== false && (given === undefined ? config.findings.enabled : given === "on")
  );
}

/** The enabled detections of the package and of the user's own folder, as the configuration has them. */
export function listConfiguredDetections(settings: Settings, world: World): Detection[] {
  const { reports } = findReports(findQueriesFolder(settings, {}, world));
  return chooseDetections(reports, settings.config);
}

/** Whether data, decisions or settings have changed since the findings were updated. */
export async function isDetectionDue(
  connection: DuckDBConnection,
  settings: Settings,
  world: World,
): Promise<boolean> {
  if (!isEnabled(settings, world)) return false;
  try {
    const detections = listConfiguredDetections(settings, world);
    return (
      (await hasNewDecisions(settings.home, connection)) || (await isAnyDue(connection, detections))
    );
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    notify(world, warning("findings_failed", { error: error.message }), exitCode.partial);
    return false;
  }
}

/** Brings findings up to date after the rows of a run, where runs evaluate detections. */
export async function detectIfDue(
  connection: DuckDBConnection,
  settings: Settings,
  world: World,
): Promise<void> {
  if (!isEnabled(settings, world) || world.signal.aborted) return;
  try {
    await runDetections(connection, settings, world);
  } catch (error) {
    if (!(error instanceof AuditlakeError) && !world.signal.aborted) throw error;
    notify(world, warning("findings_failed", { error: getMessage(error) }), exitCode.partial);
  }
}

/**
 * Updates findings under the lock of the caller: decisions first, then all detections over new data. A failing
 * detection is a warning; the next run evaluates it over the same time. With names, only those detections run. Resolves
 * to the names of the failed detections.
 */
export async function runDetections(
  connection: DuckDBConnection,
  settings: Settings,
  world: World,
  names: readonly string[] = [],
): Promise<string[]> {
  const detections = chooseDetections(listReports(settings, {}, world), settings.config);
  refuseUnknown(names, detections);
  await bringDecisions(settings.home, connection);
  const runId = newRunId(world.now(), world.random);
  const failed = await evaluateDetections(connection, detections, {
    ask: askFor(connection, settings, world),
    runId,
    world,
    isWanted: ({ name }) => names.length === 0 || names.includes(name),
  });
  const raised = await formatRaised(connection, runId);
  if (raised !== undefined) plainPrinter(world, settings.flags)(raised);
  for (const { name, error } of failed)
    notify(world, warning("detection_failed", { detection: name, error }));
  return failed.map(({ name }) => name);
}

/** Throws UsageError for a name that no detection has. */
export function refuseUnknown(
  names: readonly string[],
  detections: readonly Pick<Detection, "name">[],
): void {
  const missing = names.find((name) => !detections.some((each) => each.name === name));
  if (missing !== undefined)
    throw new UsageError(
      `no detection is called ${JSON.stringify(missing)}; ${formatCommand("findings", "detections")} lists the enabled ones`,
    );
}

// The findings that a run raised, most severe first: `3 new findings: 1 critical, 2 medium`; undefined for none.
async function formatRaised(
  connection: DuckDBConnection,
  runId: string,
): Promise<string | undefined> {
  const shape = { severity: text, findings: count };
  const rows = await queryRows(connection, "queries/detect/findings.sql#raised", shape, {
    run_id: runId,
  });
  if (rows.length === 0) return undefined;
  const total = rows.reduce((sum, { findings }) => sum + findings, 0);
  const parts = rows.map(({ severity, findings }) => `${findings} ${severity}`);
  return `${formatCount(total, "new finding")}: ${parts.join(", ")}; ${formatCommand("findings")} lists them`;
}

/** Runs a detection of the user's own in confinement over the published file, and others over a connection. */
export function askFor(connection: DuckDBConnection, settings: Settings, world: World): Ask {
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
