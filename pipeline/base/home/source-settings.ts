import { own } from "./own.ts";
import { configSchema, type ConfigFile, type SourceConfig } from "../../../schemas/config.ts";

/** The settings of a source; one that is configured no longer, or never was, goes by the defaults. */
export function settingsOf(name: string, { sources }: ConfigFile): SourceConfig {
  return own(sources, name) ?? configSchema.parse({ sources: { default: {} } }).sources["default"]!;
}
