import { accessSync, constants, existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type ConfigFile, configSchema, type SourceConfig } from "../../../schemas/config.ts";
import { name as sourceName } from "../../../schemas/name.ts";
import { isCode, UsageError } from "../errors.ts";
import { readConfig } from "./read-config.ts";
import { isFolder } from "./given-file.ts";
import { type Home, resolveHome } from "./layout.ts";
import { getOwn } from "./get-own.ts";
import { findGroupId } from "./readers.ts";
import type { World } from "../world.ts";
import { quoteStart } from "../printable.ts";

export type ProgressMode = "auto" | "plain" | "json" | "none";

export type GlobalFlags = {
  readonly home?: string;
  readonly config?: string;
  readonly source?: string;
  readonly logLevel: string;
  readonly quiet?: true;
  /** False under `--no-findings`, which ingest and import take. */
  readonly findings?: boolean;
  readonly progress: ProgressMode;
};

/** Everything that is in force for one run: flag, environment, file, default, in this order. */
export type Settings = {
  readonly home: Home;
  readonly config: ConfigFile;
  /** The configuration file; undefined without one. */
  readonly configFile: string | undefined;
  /** Folder that relative paths of the configuration start from. */
  readonly configFolder: string;
  readonly flags: GlobalFlags;
};

export type NamedSource = SourceConfig & { readonly name: string };

/** Reads flags, environment and configuration file; throws UsageError naming key and value. */
export function readSettings(flags: GlobalFlags, world: World): Settings {
  checkName(flags.source, "--source");
  checkName(world.env["AUDITLAKE_SOURCE"], "AUDITLAKE_SOURCE");
  const file = flags.config ?? world.env["AUDITLAKE_CONFIG"];
  const path = resolve(file ?? "auditlake.json");
  const configFile = file !== undefined || existsSync(path) ? path : undefined;
  const config = readConfig(configFile, file === undefined ? "found" : "named");
  const home = flags.home ?? world.env["AUDITLAKE_HOME"] ?? config.home ?? "auditlake";
  refuseUnusable(home);
  const readers = findGroupId(config.readers_group);
  return {
    home: resolveHome(home, readers),
    config,
    configFile,
    configFolder: dirname(path),
    flags,
  };
}

// A folder that this user may not enter would look empty or missing.
function refuseUnusable(home: string): void {
  const path = resolve(home);
  if (existsSync(home) && !isFolder(home))
    throw new UsageError(`home ${path} is a file, expected a folder; choose one with --home`);
  try {
    accessSync(home, constants.X_OK);
  } catch (error) {
    if (isCode(error, "ENOTDIR"))
      throw new UsageError(
        `home ${path} is below a file, expected a folder; choose another with --home`,
      );
    if (isCode(error, "EACCES"))
      throw new UsageError(
        `this user has no access to home ${path}; run as its owner, or choose another with --home`,
      );
  }
}

// It becomes part of file names and is stored with every event, so it keeps to the rule of the configuration.
function checkName(given: string | undefined, place: string): void {
  if (given === undefined || sourceName.safeParse(given).success) return;
  throw new UsageError(
    `${place} ${quoteStart(given)} cannot be the name of a source; expected a letter or digit, then letters, digits, dots, dashes and underscores, at most 64, and no reserved name such as constructor`,
  );
}

/** The source a verb works on; with none configured, AUDITLAKE_BASE_URL makes one called `default`. */
export function chooseSource(settings: Settings, world: World): NamedSource {
  const names = Object.keys(settings.config.sources);
  const wanted = settings.flags.source ?? world.env["AUDITLAKE_SOURCE"];
  const name = wanted ?? (names.length > 1 ? undefined : (names[0] ?? "default"));
  if (name === undefined)
    throw new UsageError(
      `several sources are configured (${names.join(", ")}); choose one with --source`,
    );
  const found =
    getOwn(settings.config.sources, name) ?? (names.length === 0 ? getDefaultSource() : undefined);
  if (!found) throw new UsageError(`source ${name} is not configured; known: ${names.join(", ")}`);
  const fromEnv = world.env["AUDITLAKE_BASE_URL"];
  // Otherwise the key of this source would be sent to another service, and that service's log would be stored under its
  // name.
  const isOther = fromEnv !== undefined && fromEnv !== found.base_url;
  if (names.length > 1 && found.base_url !== undefined && isOther)
    throw new UsageError(
      `AUDITLAKE_BASE_URL is set and would replace the addresses of all ${names.length} configured sources; unset it and use sources.${name}.base_url`,
    );
  const baseUrl = fromEnv ?? found.base_url;
  return {
    ...found,
    name,
    ...(baseUrl === undefined ? {} : { base_url: baseUrl.replace(/(?<!\/)\/+$/, "") }),
  };
}

/** The source that was chosen, else all that are configured; throws UsageError as chooseSource does. */
export function chooseSources(settings: Settings, world: World): NamedSource[] {
  const names = Object.keys(settings.config.sources);
  const isOne = (settings.flags.source ?? world.env["AUDITLAKE_SOURCE"]) !== undefined;
  if (isOne || names.length < 2) return [chooseSource(settings, world)];
  return names.map((source) =>
    chooseSource({ ...settings, flags: { ...settings.flags, source } }, world),
  );
}

function getDefaultSource(): SourceConfig {
  return configSchema.parse({ sources: { default: {} } }).sources["default"]!;
}

/** Returns the settings of a source; defaults for a source that is not configured. */
export function getSourceSettings(name: string, { sources }: ConfigFile): SourceConfig {
  return (
    getOwn(sources, name) ?? configSchema.parse({ sources: { default: {} } }).sources["default"]!
  );
}
