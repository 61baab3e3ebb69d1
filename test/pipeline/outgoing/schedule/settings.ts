import { configSchema } from "../../../../schemas/config.ts";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import type { GlobalFlags, Settings } from "../../../../pipeline/base/home/settings.ts";
import type { TestHome } from "../../../support/home.ts";

/** Settings as a configuration file in a test's folder gives them. */
export function settingsIn(
  home: TestHome,
  config: object,
  flags: Partial<GlobalFlags> = {},
): Settings {
  return {
    home: resolveHome(home.home),
    config: configSchema.parse(config),
    configFile: `${home.folder}/auditlake.json`,
    configFolder: home.folder,
    flags: { logLevel: "info", progress: "none", ...flags },
  };
}
