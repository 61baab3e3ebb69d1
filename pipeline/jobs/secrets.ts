import { findTarget, targetCredentials } from "../delivery/target.ts";
import type { Settings } from "../home/settings.ts";
import { readKey } from "../source/key.ts";
import type { World } from "../world.ts";

/** Every secret that the configuration leads to, as far as it can be read: none of them is ever told. */
export function secretsOf(settings: Settings, world: World): string[] {
  const { config, configFolder } = settings;
  const keys = Object.values(config.sources).map((source) => () => [
    readKey(source, configFolder, world.env),
  ]);
  const credentials = Object.keys(config.targets).map((name) => () => [
    ...targetCredentials(findTarget(settings, name), settings, world).secrets,
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
