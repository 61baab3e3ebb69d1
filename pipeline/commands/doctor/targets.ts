import { settledTarget, tryTo } from "../../run/delivery.ts";
import type { Settings } from "../../settings.ts";
import type { World } from "../../world.ts";
import { failedWith, ok, type Finding } from "./finding.ts";

/** Checks each target of the configuration and sends nothing: is all there that a delivery needs? */
export async function* targetFindings(settings: Settings, world: World): AsyncGenerator<Finding> {
  for (const name of Object.keys(settings.config.targets).toSorted())
    yield await found(name, settings, world);
}

async function found(name: string, settings: Settings, world: World): Promise<Finding> {
  try {
    const lines = await tryTo(settledTarget(settings, name), false, settings, world);
    return ok("target", `${name}: ${lines.join("; ")}`);
  } catch (error) {
    return failedWith("target", error, `${name}: `);
  }
}
