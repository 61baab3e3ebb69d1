import { resolve } from "node:path";
import { findTarget, tryTo } from "../../outgoing/deliveries/target.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import {
  findConfigured,
  loadWorkflow,
  type NamedActivation,
  tryActivation,
} from "../../outgoing/activations/find-activation.ts";
import { newFailed, newFailedWith, type Finding, newPassed } from "./finding.ts";
import { getMessage } from "../../base/errors.ts";
import { compileQuestion, prepareToCompile } from "../../base/sql/select.ts";
import type { Report } from "../../base/report/find.ts";
import { buildDefaultQuestion } from "../../base/report/params.ts";
import { compileConfined } from "../../answers/ask/confined-engine.ts";
import type { Database } from "../../core/store/open.ts";
import { OtherViewsError } from "../../core/store/other-views.ts";
import { formatCount } from "../../base/terminal/amounts.ts";

/**
 * Checks each configured target, and the connectors of each activation, including those of scheduled workflow files.
 * Sends nothing; checks that deliveries have everything they need.
 */
export async function* checkTargets(settings: Settings, world: World): AsyncGenerator<Finding> {
  const { targets, activations } = settings.config;
  for (const name of Object.keys(targets).toSorted())
    yield await checkTarget("target", name, () =>
      tryTo(findTarget(settings, name), false, settings, world),
    );
  for (const name of Object.keys(activations).toSorted())
    yield await checkTarget("activation", name, () =>
      tryActivation(findConfigured(name, settings), false, settings, world),
    );
  for (const [file, name] of listScheduledWorkflows(settings))
    yield await checkTarget("activation", name ?? file, () =>
      tryActivation(readWorkflowActivation(file, name, settings), false, settings, world),
    );
}

async function checkTarget(
  check: "target" | "activation",
  name: string,
  examined: () => Promise<readonly string[]>,
): Promise<Finding> {
  try {
    return newPassed(check, `${name}: ${(await examined()).join("; ")}`);
  } catch (error) {
    return newFailedWith(check, error, `${name}: `);
  }
}

function readWorkflowActivation(
  file: string,
  name: string | undefined,
  settings: Settings,
): NamedActivation {
  return loadWorkflow(resolve(settings.configFolder, file), name, settings, () => undefined);
}

function listScheduledWorkflows({ config }: Settings): [string, string | undefined][] {
  return Object.values(config.schedule.jobs).flatMap(({ activate }) =>
    typeof activate === "object" && activate.from_workflow !== undefined
      ? [[activate.from_workflow, activate.name] as [string, string | undefined]]
      : [],
  );
}

/** A database to compile on: open for the reports of the package, as a file for those of a user's own. */
type CompileOn = {
  readonly database: Database;
  readonly file: string;
  /** What it is, for people. */
  readonly name: string;
};

/**
 * Whether each report compiles: a line for each that does not, one for all that do. The database is of no use for
 * other questions afterwards.
 */
export async function* reportFindings(
  reports: readonly Report[],
  on: CompileOn,
  settings: Settings,
  world: World,
): AsyncGenerator<Finding> {
  const { connection } = on.database;
  await prepareToCompile(connection);
  let broken = 0;
  for (const report of reports) {
    try {
      const question = buildDefaultQuestion(report, world.now());
      if (report.isBuiltIn) await compileQuestion(connection, question);
      else await compileConfined(report, question, on.file, settings, world);
    } catch (error) {
      broken++;
      if (error instanceof OtherViewsError) return yield newFailed("reports", getMessage(error));
      yield newFailed("reports", (report.isBuiltIn ? `${report.file}: ` : "") + getMessage(error));
    }
  }
  if (broken < reports.length)
    yield newPassed(
      "reports",
      `${formatCount(reports.length - broken, "report")} compile on ${on.name}`,
    );
}
