import { warning } from "../base/notice/notice.ts";
import { type Print, plainPrinter } from "../base/notice/printer.ts";
import { commandText } from "../base/command-line.ts";
import type { Command } from "commander";
import { dirname, resolve } from "node:path";
import { exitCode, type ExitCode, messageOf, UsageError } from "../base/errors.ts";
import { clientOf } from "../core/source/client.ts";
import type { GlobalFlags, NamedSource, Settings } from "../base/home/settings.ts";
import type { Findings } from "../core/source/discovery/investigate.ts";
import { type Cadence, fitOf, type Proposal } from "../core/source/fit.ts";
import type { World } from "../base/world.ts";
import {
  ageText,
  findPaging,
  impatient,
  proposalsText,
  readsOf,
  readsText,
  shortText,
  writtenAudits,
} from "./doctor/fitting.ts";
import { printPlan } from "../core/ingest/plan.ts";
import { type Answers, answersOf, type InitFlags, newDialog } from "./init/answers.ts";
import { plural } from "../base/terminal/amounts.ts";
import { homeAt } from "../base/home/layout.ts";
import { existsSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { type ConfigFile, configSchema } from "../../schemas/config.ts";
import { name as nameForm } from "../../schemas/name.ts";
import { assetPath } from "../base/home/assets.ts";
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
      const content = contentOf(path, named === undefined ? "found" : "named");
      using dialog = world.stdin.isTTY === true ? newDialog(world) : undefined;
      const answers = await answersOf(flags, dialog, world);
      return await setUp({ flags, global, path, content, answers }, world);
    });
}

async function setUp(setup: Setup, world: World): Promise<ExitCode> {
  const { global, path, answers } = setup;
  const print = plainPrinter(world, {});
  const blank = settingsOf(setup, undefined, world);
  printFit(answers.name, blank, print, world);
  const source = impatient(namedIn(blank, answers));
  await using client = clientOf(blank, source, world);
  const found = await findPaging(client, source, false, world);
  printPaging(found, print);
  const content = contentWith(setup, found);
  await writeContent(path, content);
  print(`wrote ${path}`);
  const settings = settingsOf(setup, found, world);
  print("the next run would read (ingest --dry-run):");
  await printPlan(settings, [namedIn(settings, answers)], undefined, world);
  if (global.quiet !== true) for (const line of nextSteps(setup)) print(line);
  return found.audits === undefined ? exitCode.partial : exitCode.done;
}

// Said, or refused, before anything is asked of the service or written.
function printFit(
  name: string,
  { config }: Settings,
  print: (line: string) => void,
  world: World,
): void {
  const source = config.sources[name]!;
  const known = readsOf(name, source, config, world.now());
  const reads: Cadence = { ...known, runs: known.runs ?? { atMs: [] } };
  const text = `${readsText(reads)}: ${ageText(reads)}`;
  if (source.retention === undefined)
    return print(
      `${text}; the retention of the service is unknown, so a loss of events cannot be detected: set sources.${name}.retention as soon as it is`,
    );
  if (fitOf(reads).fits) return print(text);
  const proposals = proposalsText(reads, flagsText);
  throw new UsageError(
    `${text}: events would be lost; ${proposals === undefined ? "no window and no number of runs fits" : `what fits: ${proposals}`}`,
  );
}

function flagsText({ windowMs, runsPerDay, confirm }: Proposal): string {
  const parts = [
    windowMs === undefined ? [] : [`--window ${shortText(windowMs)}`],
    runsPerDay === undefined ? [] : [`--runs-per-day ${runsPerDay}`],
    confirm === undefined ? [] : ["--confirm"],
  ];
  return parts.flat().join(" ");
}

function printPaging({ audits, text, requests }: Findings, print: Print): void {
  if (audits !== undefined)
    return print(
      `audits ${JSON.stringify(writtenAudits(audits))} reads all records: ${text} (${plural(requests, "request")})`,
    );
  print(warning("paging_unknown", { why: text, requests }, ["doctor"]));
}

function nextSteps({ answers: { name, key } }: Setup): string[] {
  const place = "api_key_env" in key ? `${key.api_key_env} in the environment` : key.api_key_file;
  return [
    "next:",
    `  ${commandText("doctor", "--source", name)}`,
    `  ${commandText("ingest", "--source", name)}   # the key from ${place}`,
    `  ${commandText("schedule", "--help")}   # the job that reads it every day is in the file`,
  ];
}

/** What a new source is made of. */
export type Setup = {
  readonly flags: InitFlags;
  readonly global: GlobalFlags;
  readonly path: string;
  readonly content: Content;
  readonly answers: Answers;
};

/** The file with the new source and its job; `found` is how its service pages, where that is known. */
export function contentWith(
  { flags, global, path, content, answers }: Setup,
  found: Findings | undefined,
): Content {
  const { name, baseUrl, key, authScheme, retention, window, cron } = answers;
  const source = {
    base_url: baseUrl,
    ...placed(key, path),
    ...(authScheme === "SVC1" ? {} : { auth_scheme: authScheme }),
    ...(retention === undefined ? {} : { retention }),
    ...(window === "1d" ? {} : { window }),
    ...(flags.confirm ? { confirm: true } : {}),
    ...(found?.audits === undefined ? {} : { audits: writtenAudits(found.audits) }),
  };
  const job = { cron, timezone: "UTC", ingest: { source: name } };
  return withSource(
    content,
    { home: global.home && resolve(global.home), source: [name, source], job: ["ingest", job] },
    path,
  );
}

// The configuration reads paths from its own folder, the person wrote this one from where they stand.
function placed(key: Answers["key"], path: string): Answers["key"] {
  if (!("api_key_file" in key) || dirname(path) === process.cwd()) return key;
  return { api_key_file: resolve(key.api_key_file) };
}

/** The settings that the file would give. */
export function settingsOf(setup: Setup, found: Findings | undefined, world: World): Settings {
  const { global, path, answers } = setup;
  const config = checked(contentWith(setup, found), path);
  const home = global.home ?? world.env["AUDITLAKE_HOME"] ?? config.home ?? "auditlake";
  const flags = { ...global, source: answers.name };
  return { home: homeAt(home), config, configFile: path, configFolder: dirname(path), flags };
}

/** The new source, as the settings have it. */
export function namedIn({ config }: Settings, { name }: Answers): NamedSource {
  return { ...config.sources[name]!, name };
}

/** The content of a configuration file as it was written. */
type Content = Readonly<Record<string, unknown>>;

/** What stands in a file; a new one where there is none. Throws UsageError on what is no configuration. */
export function contentOf(path: string, how: "named" | "found"): Content {
  if (!existsSync(path)) return newContent();
  const bytes = how === "found" ? readOwn(path, "configuration") : readFileSync(path);
  let content: unknown;
  try {
    content = JSON.parse(bytes.toString("utf8").replace(/^\ufeff/, ""));
  } catch {
    throw new UsageError(
      `${path} exists and is not JSON; correct it, or name another file with --config`,
    );
  }
  checked(content, path);
  return content as Content;
}

function newContent(): Content {
  const schema = assetPath("schemas/generated/config.schema.json");
  return existsSync(schema) ? { $schema: pathToFileURL(schema).href } : {};
}

/** Further content of the members that init adds to; a name that is taken is left as it is found. */
type Added = {
  readonly home?: string | undefined;
  readonly source: readonly [name: string, source: object];
  readonly job: readonly [name: string, job: object];
};

/** The content with a new source and its job; all else stays. Throws UsageError where the source is in it already. */
export function withSource(content: Content, { home, source, job }: Added, path: string): Content {
  const sources = groupOf(content, "sources");
  if (Object.hasOwn(sources, source[0]))
    throw new UsageError(
      `source ${source[0]} is in ${path} already; choose another --name, or change it there`,
    );
  const schedule = groupOf(content, "schedule");
  const jobs = groupOf(schedule, "jobs");
  return {
    ...content,
    ...(home === undefined || "home" in content ? {} : { home }),
    sources: { ...sources, [source[0]]: source[1] },
    schedule: { ...schedule, jobs: { ...jobs, [freeName(jobs, job[0], source[0])]: job[1] } },
  };
}

// The name of a job, with that of its source where it is taken, or a number where that is taken, too, or too long.
function freeName(jobs: Content, name: string, source: string): string {
  const isFree = (one: string): boolean =>
    !Object.hasOwn(jobs, one) && nameForm.safeParse(one).success;
  let found = [name, `${name}-${source}`].find(isFree);
  for (let n = 2; found === undefined; n++) found = [`${name}-${n}`].find(isFree);
  return found;
}

/** The content as a configuration; throws UsageError naming the key that does not fit. */
export function checked(content: unknown, path: string): ConfigFile {
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
    throw new UsageError(messageOf(error));
  }
}

function groupOf(content: Content, key: string): Content {
  const group = content[key];
  return typeof group === "object" && group !== null ? (group as Content) : {};
}
