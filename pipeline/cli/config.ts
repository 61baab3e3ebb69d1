import { formatCommand } from "../base/command-line.ts";
import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { newTextResult } from "../answers/report/result.ts";
import { readSettings, type Settings } from "../base/home/settings.ts";
import type { World } from "../base/world.ts";
import { type OutputFlags, chooseRowFormat, writeRows } from "../answers/report/output.ts";
import { plainPrinter } from "../base/notice/printer.ts";
import { withOutput } from "./output-flags.ts";
import { durationKeys, formatDurationSetting } from "../../schemas/duration.ts";

/** Registers `config show`. */
export function config(program: Command, world: World): void {
  const verb = program
    .command("config")
    .description("show the configuration with the origin of each value");
  withOutput(
    verb
      .command("show")
      .description("show every effective value and its origin; secrets are hidden"),
  )
    .addHelpText(
      "after",
      "\nDurations and sizes are in milliseconds and bytes.\n\nExamples:\n  auditlake config show\n  auditlake config show --format json",
    )
    .action(async (flags: OutputFlags, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      const { configFile } = settings;
      // The file was read and checked a moment ago, so it can be parsed.
      const text = configFile === undefined ? "{}" : readFileSync(configFile, "utf8");
      const given: unknown = JSON.parse(text.replace(/^\ufeff/, ""));
      const rows = listSettings(settings, given, world).map(({ key, value, from }) => [
        key,
        value,
        from,
      ]);
      const print = plainPrinter(world, settings.flags);
      if (configFile === undefined)
        print(`no configuration file: ${formatCommand("init")} writes one`);
      const result = newTextResult(["key", "value", "comes_from"], rows);
      await writeRows(result, chooseRowFormat(flags), flags, world, print);
    });
}

type ShownSetting = { readonly key: string; readonly value: string; readonly from: string };

// Of a secret only its presence, or the place where it is kept, is shown.
const secretKey = /(^|_)(secret|password|token|credential|api_key|access_key|private_key)$/;
const saved = "__SAVED__";

type FoundSettings = readonly (readonly [path: readonly string[], value: unknown])[];

/**
 * Every value that is in force, by its dotted key, with where it comes from: flag, environment, file or default. No
 * secret is shown, and of an address no user, password or value of its query.
 */
function listSettings(
  { config, configFile, home, flags }: Settings,
  given: unknown,
  { env }: Pick<World, "env">,
): ShownSetting[] {
  const file = configFile ?? "file";
  const isInFile = new Set(listLeaves(given).map(([path]) => path.join(".")));
  const rest = listLeaves(config)
    .filter(([path]) => path[0] !== "home")
    .map(([path, value]) => {
      const key = path.join(".");
      return { key, value: formatValue(path, value), from: isInFile.has(key) ? file : "default" };
    });
  return [
    findHome(home.root, given, file, flags.home, env),
    ...rest,
    ...listFromEnvironment(config, env),
  ];
}

function findHome(
  root: string,
  given: unknown,
  file: string,
  flag: string | undefined,
  env: World["env"],
): ShownSetting {
  const isInFile = typeof given === "object" && given !== null && "home" in given;
  const other =
    env["AUDITLAKE_HOME"] === undefined ? (isInFile ? file : "default") : "AUDITLAKE_HOME";
  return { key: "home", value: root, from: flag === undefined ? other : "flag --home" };
}

// Variables that no line above shows; the value of a secret is not shown.
function listFromEnvironment({ sources }: Settings["config"], env: World["env"]): ShownSetting[] {
  const keys = new Set(Object.values(sources).map(({ api_key_env: name }) => name));
  const names = ["AUDITLAKE_BASE_URL", "AUDITLAKE_SOURCE", "AUDITLAKE_CONFIG", "AUDITLAKE_QUERIES"];
  const plain = names.flatMap((name) => {
    const value = env[name];
    return value === undefined
      ? []
      : [{ key: name, value: withoutUser(value), from: "environment" }];
  });
  const secret = [...new Set(["AUDITLAKE_API_KEY", ...keys])].flatMap((name) =>
    env[name] === undefined ? [] : [{ key: name, value: "set, not shown", from: "environment" }],
  );
  return [...plain, ...secret];
}

function listLeaves(value: unknown, path: readonly string[] = []): FoundSettings {
  const isBranch = typeof value === "object" && value !== null && !Array.isArray(value);
  const members = isBranch ? Object.entries(value) : [];
  if (members.length === 0) return path.length === 0 ? [] : [[path, value]];
  return members.flatMap(([key, inner]) => listLeaves(inner, [...path, key]));
}

function formatValue(path: readonly string[], value: unknown): string {
  if (path.some((key) => secretKey.test(key)) && value !== saved) return "set, not shown";
  if (typeof value === "number" && durationKeys.includes(path.at(-1)!))
    return formatDurationSetting(value);
  return withoutUser(typeof value === "string" ? value : JSON.stringify(value));
}

// A query of an address may hold a key under any name.
function withoutUser(text: string): string {
  return text
    .replaceAll(/(?<=:\/\/)[^/?#@\s"]*@/g, "…@")
    .replaceAll(/(?<=:\/\/[^\s"?#]*\?)[^\s"#]*/g, (query) => query.replaceAll(/=[^&]*/g, "=…"));
}
