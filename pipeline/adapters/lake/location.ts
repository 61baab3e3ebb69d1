import type { LakeConfig } from "../../../schemas/lake.ts";
import { UsageError } from "../../base/errors.ts";
import type { Settings } from "../../base/home/settings.ts";

/** The lake of the configuration; throws UsageError where there is none. */
export function lakeOf({ config, configFile }: Settings): LakeConfig {
  if (config.lake !== undefined) return config.lake;
  throw new UsageError(
    `no lake: ${configFile ?? "the configuration"} has no lake; add one such as "lake": {"location": "/srv/lake"}`,
  );
}
