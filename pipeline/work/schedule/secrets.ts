import { secretsIn } from "../deliveries/credentials.ts";
import { findTarget, targetCredentials } from "../deliveries/target.ts";
import type { Settings } from "../../base/home/settings.ts";
import { readKey } from "../../core/source/key.ts";
import type { World } from "../../base/world.ts";

/** Every secret that the configuration leads to, as far as it can be read: none of them is ever told. */
export function secretsOf(settings: Settings, world: World): string[] {
  const { config, configFolder } = settings;
  const keys = Object.values(config.sources).map((source) => () => [
    readKey(source, configFolder, world.env),
  ]);
  const targets = Object.keys(config.targets).map((name) => findTarget(settings, name));
  // What is stored may be unreadable, and what stands in the configuration is not told then either.
  const credentials = targets.flatMap((target) => [
    () => secretsIn(target),
    () => [...targetCredentials(target, settings, world).secrets],
  ]);
  return [...keys, ...credentials, () => [world.env["AUDITLAKE_API_KEY"] ?? ""]].flatMap(readable);
}

function readable(read: () => string[]): string[] {
  try {
    return read();
  } catch {
    return [];
  }
}
