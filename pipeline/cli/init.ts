import { warning } from "../base/notice/notice.ts";
import { type Print, plainPrinter } from "../base/notice/printer.ts";
import { formatCommand } from "../base/command-line.ts";
import type { Command } from "commander";
import { dirname, resolve } from "node:path";
import { exitCode, type ExitCode, getMessage, UsageError } from "../base/errors.ts";
import { openClient } from "../core/source/client.ts";
import type { GlobalFlags, NamedSource, Settings } from "../base/home/settings.ts";
import type { Findings } from "../core/source/discovery/investigate.ts";
import { type Cadence, checkFit, type Proposal } from "../core/source/fit.ts";
import type { World } from "../base/world.ts";
import {
  formatAge,
  findPaging,
  makeImpatient,
  formatProposals,
  buildCadence,
  formatCadence,
  formatShort,
  listChangedAudits,
} from "./doctor/fitting.ts";
import { printPlan } from "../core/ingest/plan.ts";
import { type Answers, readAnswers, type InitFlags, newDialog } from "./init/answers.ts";
import { formatCount } from "../base/terminal/amounts.ts";
import { resolveHome } from "../base/home/layout.ts";
import { readLoadedSources } from "../answers/status/home-files.ts";
import { existsSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { type ConfigFile, configSchema } from "../../schemas/config.ts";
import { name as nameForm } from "../../schemas/name.ts";
import { getAssetPath } from "../base/home/assets.ts";
import { writeDurably } from "../base/home/durable.ts";
import { readOwn } from "../base/home/given-file.ts";

const notes = `
On a terminal, init asks for missing values; elsewhere a missing flag ends with exit code 2. Name the
environment variable or file of the key, never the key itself. init sends at most 20 small requests to
detect paging, and writes the paging settings only if a read confirms them; otherwise it ends with exit
code 6. It refuses schedules that would lose events: each window has to be read twice before the service
deletes its start. In an existing file it adds the source and its scheduled job, and changes nothing else.

Examples:
  auditlake init
  auditlake init --name prod --base-url https://service.example --key-file /srv/audit/key \\
    --retention 7d --runs-per-day 1
  auditlake init --name short --base-url https://service.example --key-env SHORT_KEY \\
    --retention 24h --window 4h --schedule "15 */4 * * *" --yes`;

/** Registers `init`: a configuration for a new source. */
export function init(program: Command, world: World): void {
  program
    .command("init")
    .description("write auditlake.json for a new source; detects paging and field names")
    .option("--name <name>", "name of the source")
    .option("--base-url <url>", "address of the service (default AUDITLAKE_BASE_URL)")
    .option("--key-env <name>", "environment variable that holds the key")
    .option("--key-file <path>", "file, mode 600, that holds the key")
    .option(
      "--auth-scheme <word>",
      "word before the key in the Authorization header (default SVC1)",
    )
    .option("--retention <time>", "retention of the log in the service: 24h, 7d, or unknown")
    .option("--window <time>", "time range of one read (default 1d)")
    .option("--runs-per-day <count>", "number of scheduled runs a day")
    .option("--schedule <cron>", "times of the scheduled runs: five cron fields, in UTC")
    .option("--confirm", "read each closed window twice in one run")
    .option("--yes", "use the defaults for missing flags, without asking")
    .addHelpText("after", notes)
    .action(async (flags: InitFlags, command: Command) => {
      const global = command.optsWithGlobals<GlobalFlags>();
      const named = global.config ?? world.env["AUDITLAKE_CONFIG"];
      const path = resolve(named ?? "auditlake.json");
      const content = readContent(path, named === undefined ? "found" : "named");
      using dialog = world.stdin.isTTY === true ? newDialog(world) : undefined;
      const answers = await readAnswers(flags, dialog, world);
      return await setUp({ flags, global, path, content, answers }, world);
    });
}

async function setUp(setup: Setup, world: World): Promise<ExitCode> {
  const { global, path, answers } = setup;
  const print = plainPrinter(world, {});
  const blank = buildSettings(setup, undefined, world);
  printFit(answers.name, blank, print, world);
  const source = makeImpatient(getNamedSource(blank, answers));
  await using client = openClient(blank, source, world);
  const found = await findPaging(client, source, false, world);
  printPaging(found, print);
  const content = buildContent(setup, found);
  await writeContent(path, content);
  print(`wrote ${path}`);
  await warnOfOtherSources(setup, blank, print);
  const settings = buildSettings(setup, found, world);
  print("the next run would read (ingest --dry-run):");
  await printPlan(settings, [getNamedSource(settings, answers)], undefined, world);
  if (global.quiet !== true) for (const line of listNextSteps(setup)) print(line);
  return found.audits === undefined ? exitCode.partial : exitCode.done;
}

// Printed, or refused, before the first request and before anything is written.
function printFit(
  name: string,
  { config }: Settings,
  print: (line: string) => void,
  world: World,
): void {
  const source = config.sources[name]!;
  if (source.retention === undefined)
    return print(
      `The retention of the service is unknown, so auditlake cannot detect lost events. As soon as you know it, set sources.${name}.retention in the configuration.`,
    );
  const known = buildCadence(name, source, config, world.now());
  const reads: Cadence = { ...known, runs: known.runs ?? { atMs: [] } };
  const text = `${formatCadence(reads)}: ${formatAge(reads)}`;
  if (checkFit(reads).fits) return print(text);
  const proposals = formatProposals(reads, formatFlags);
  throw new UsageError(
    `${text}: events would be lost; ${proposals === undefined ? "no window and no number of runs would work" : `use ${proposals}`}`,
  );
}

function formatFlags({ windowMs, runsPerDay, confirm }: Proposal): string {
  const parts = [
    windowMs === undefined ? [] : [`--window ${formatShort(windowMs)}`],
    runsPerDay === undefined ? [] : [`--runs-per-day ${runsPerDay}`],
    confirm === undefined ? [] : ["--confirm"],
  ];
  return parts.flat().join(" ");
}

// The service may be one whose events are there under another name, which no run would read on.
async function warnOfOtherSources(
  { answers: { name } }: Setup,
  { home, config }: Settings,
  print: Print,
): Promise<void> {
  const sources = await readLoadedSources(home, config);
  const others = sources.filter((source) => config.sources[source] === undefined);
  if (sources.includes(name) || others.length === 0) return;
  print(warning("other_source_loaded", { name, others }));
}

function printPaging({ audits, text, requests }: Findings, print: Print): void {
  if (audits !== undefined)
    return print(
      `audits ${JSON.stringify(listChangedAudits(audits))} reads all records: ${text} (${formatCount(requests, "request")})`,
    );
  print(warning("paging_unknown", { why: text, requests }, ["doctor"]));
}

function listNextSteps({ answers: { name, key, retention = "30d" } }: Setup): string[] {
  const place = "api_key_env" in key ? `${key.api_key_env} in the environment` : key.api_key_file;
  return [
    "next:",
    `  ${formatCommand("doctor", "--source", name)}`,
    `  ${formatCommand("ingest", "--source", name, "--from", retention)}   # the key from ${place}`,
    `  ${formatCommand("schedule", "--help")}   # the job that reads it every day is in the file`,
  ];
}

export type Setup = {
  readonly flags: InitFlags;
  readonly global: GlobalFlags;
  readonly path: string;
  readonly content: Content;
  readonly answers: Answers;
};

/** The file with the new source and its job; `found` is how its service pages, where that is known. */
export function buildContent(
  { flags, global, path, content, answers }: Setup,
  found: Findings | undefined,
): Content {
  const { name, baseUrl, key, authScheme, retention, window, cron } = answers;
  const source = {
    base_url: baseUrl,
    ...placeKey(key, path),
    ...(authScheme === "SVC1" ? {} : { auth_scheme: authScheme }),
    ...(retention === undefined ? {} : { retention }),
    ...(window === "1d" ? {} : { window }),
    ...(flags.confirm ? { confirm: true } : {}),
    ...(found?.audits === undefined ? {} : { audits: listChangedAudits(found.audits) }),
  };
  const job = { cron, timezone: "UTC", ingest: { source: name } };
  return withSource(
    content,
    { home: global.home && resolve(global.home), source: [name, source], job: ["ingest", job] },
    path,
  );
}

// The configuration reads paths from its own folder, the person wrote this one from where they stand.
function placeKey(key: Answers["key"], path: string): Answers["key"] {
  if (!("api_key_file" in key) || dirname(path) === process.cwd()) return key;
  return { api_key_file: resolve(key.api_key_file) };
}

export function buildSettings(setup: Setup, found: Findings | undefined, world: World): Settings {
  const { global, path, answers } = setup;
  const config = checkContent(buildContent(setup, found), path);
  const home = global.home ?? world.env["AUDITLAKE_HOME"] ?? config.home ?? "auditlake";
  const flags = { ...global, source: answers.name };
  return { home: resolveHome(home), config, configFile: path, configFolder: dirname(path), flags };
}

export function getNamedSource({ config }: Settings, { name }: Answers): NamedSource {
  return { ...config.sources[name]!, name };
}

type Content = Readonly<Record<string, unknown>>;

/** Reads the content of a file; new content if it is missing. Throws UsageError on an invalid configuration. */
export function readContent(path: string, how: "named" | "found"): Content {
  if (!existsSync(path)) return newContent();
  const bytes = how === "found" ? readOwn(path, "configuration") : readFileSync(path);
  let content: unknown;
  try {
    content = JSON.parse(bytes.toString("utf8").replace(/^\ufeff/, ""));
  } catch {
    throw new UsageError(
      `${path} exists but is not JSON; correct it, or name another file with --config`,
    );
  }
  checkContent(content, path);
  return content as Content;
}

function newContent(): Content {
  const schema = getAssetPath("schemas/generated/config.schema.json");
  return existsSync(schema) ? { $schema: pathToFileURL(schema).href } : {};
}

/** Further settings that init adds; existing names stay unchanged. */
type AddedSettings = {
  readonly home?: string | undefined;
  readonly source: readonly [name: string, source: object];
  readonly job: readonly [name: string, job: object];
};

/** The content with a new source and its job; all else stays. Throws UsageError where the source is in it already. */
export function withSource(
  content: Content,
  { home, source, job }: AddedSettings,
  path: string,
): Content {
  const sources = getGroup(content, "sources");
  if (Object.hasOwn(sources, source[0]))
    throw new UsageError(
      `source ${source[0]} already exists in ${path}; choose another --name, or change it there`,
    );
  const schedule = getGroup(content, "schedule");
  const jobs = getGroup(schedule, "jobs");
  return {
    ...content,
    ...(home === undefined || "home" in content ? {} : { home }),
    sources: { ...sources, [source[0]]: source[1] },
    schedule: { ...schedule, jobs: { ...jobs, [findFreeName(jobs, job[0], source[0])]: job[1] } },
  };
}

// The name of a job, with that of its source where it is taken, or a number where that is taken, too, or too long.
function findFreeName(jobs: Content, name: string, source: string): string {
  const isFree = (one: string): boolean =>
    !Object.hasOwn(jobs, one) && nameForm.safeParse(one).success;
  let found = [name, `${name}-${source}`].find(isFree);
  for (let n = 2; found === undefined; n++) found = [`${name}-${n}`].find(isFree);
  return found;
}

/** The content as a configuration; throws UsageError naming the key that does not fit. */
export function checkContent(content: unknown, path: string): ConfigFile {
  const result = configSchema.safeParse(content);
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  throw new UsageError(
    `configuration ${path}: ${issue.path.map(String).join(".")}: ${issue.message}`,
  );
}

/** Puts a file in place as a whole. */
export async function writeContent(path: string, content: Content): Promise<void> {
  try {
    await writeDurably(path, Buffer.from(`${JSON.stringify(content, null, 2)}\n`));
  } catch (error) {
    throw new UsageError(getMessage(error));
  }
}

function getGroup(content: Content, key: string): Content {
  const group = content[key];
  return typeof group === "object" && group !== null ? (group as Content) : {};
}
