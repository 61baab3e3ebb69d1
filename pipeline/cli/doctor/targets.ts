import { resolve } from "node:path";
import { findTarget, tryTo } from "../../work/deliveries/target.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import {
  configured,
  fromWorkflow,
  type Named,
  tryActivation,
} from "../../work/activations/chosen.ts";
import { failedWith, ok, type Finding } from "./finding.ts";

/**
 * Checks each target of the configuration, and the connectors of each activation, also of those that the schedule
 * takes from workflow files. Sends nothing: is all there that a delivery needs?
 */
export async function* targetFindings(settings: Settings, world: World): AsyncGenerator<Finding> {
  const { targets, activations } = settings.config;
  for (const name of Object.keys(targets).toSorted())
    yield await found("target", name, () =>
      tryTo(findTarget(settings, name), false, settings, world),
    );
  for (const name of Object.keys(activations).toSorted())
    yield await found("activation", name, () =>
      tryActivation(configured(name, settings), false, settings, world),
    );
  for (const [file, name] of scheduledWorkflows(settings))
    yield await found("activation", name ?? file, () =>
      tryActivation(workflowActivation(file, name, settings), false, settings, world),
    );
}

async function found(
  check: "target" | "activation",
  name: string,
  examined: () => Promise<readonly string[]>,
): Promise<Finding> {
  try {
    return ok(check, `${name}: ${(await examined()).join("; ")}`);
  } catch (error) {
    return failedWith(check, error, `${name}: `);
  }
}

function workflowActivation(file: string, name: string | undefined, settings: Settings): Named {
  return fromWorkflow(resolve(settings.configFolder, file), name, settings, () => undefined);
}

function scheduledWorkflows({ config }: Settings): [string, string | undefined][] {
  return Object.values(config.schedule.jobs).flatMap(({ activate }) =>
    typeof activate === "object" && activate.from_workflow !== undefined
      ? [[activate.from_workflow, activate.name] as [string, string | undefined]]
      : [],
  );
}
