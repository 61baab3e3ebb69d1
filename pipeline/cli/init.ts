import { commandText } from "../base/command-line.ts";
import type { Command } from "commander";
import { resolve } from "node:path";
import { exitCode, type ExitCode, UsageError } from "../base/errors.ts";
import { clientOf } from "../core/source/client.ts";
import type { GlobalFlags, Settings } from "../base/home/settings.ts";
import type { Findings } from "../core/source/discovery/investigate.ts";
import { fitOf, type Proposal, type Cadence } from "../core/source/fit.ts";
import type { World } from "../base/world.ts";
import { ageText, proposalsText, readsOf, readsText, shortText } from "./doctor/fitting.ts";
import { printPlan } from "../core/ingest/due.ts";
import { answersOf, type InitFlags } from "./init/answers.ts";
import { newDialog } from "./init/dialog.ts";
import { contentOf, writeContent } from "./init/config-file.ts";
import { contentWith, namedIn, settingsOf, type Setup } from "./init/set-up.ts";
import { findPaging, impatient, writtenAudits } from "./doctor/paging-found.ts";
import { plural } from "../base/terminal/amounts.ts";

const notes = `
Asks on a terminal for what no flag says; elsewhere a missing flag is exit code ${exitCode.usage}. The key is named, never
given: it stays in its environment variable or file. The service is asked for some small pages, ${"at most 20"}
requests, and how it pages is written only where reading shows it; else exit code ${exitCode.partial}. Refused is what
would lose events: each window has to be read twice before the service forgets its beginning. An existing
file keeps everything, and gets the new source and its job of schedule.

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
    .description("write auditlake.json for a new source, its paging found by asking the service")
    .option("--name <name>", "what the source is to be called")
    .option("--base-url <url>", "address of the service (default AUDITLAKE_BASE_URL)")
    .option("--key-env <name>", "environment variable that holds the key")
    .option("--key-file <path>", "file, mode 600, that holds the key")
    .option(
      "--auth-scheme <word>",
      "word before the key in the Authorization header (default SVC1)",
    )
    .option("--retention <time>", "how far back the service keeps its log: 24h, 7d, or unknown")
    .option("--window <time>", "time that one read covers (default 1d)")
    .option("--runs-per-day <count>", "how many times a day it is read")
    .option("--schedule <cron>", "when it is read: five fields of cron, in UTC")
    .option("--confirm", "read each closed window twice in one run")
    .option("--yes", "take what is usual for what no flag says, without asking")
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
  const print = (line: string): void => void world.stderr.write(`${line}\n`);
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
      `${text}; how long the service keeps its log is not known, so nothing tells whether events are lost: set sources.${name}.retention as soon as it is`,
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

function printPaging({ audits, text, requests }: Findings, print: (line: string) => void): void {
  const asked = `(${plural(requests, "request")})`;
  if (audits !== undefined)
    return print(`audits ${JSON.stringify(writtenAudits(audits))} reads whole: ${text} ${asked}`);
  print(
    `warning: how the service pages is not known: ${text} ${asked}; audits is left out: see docs/paging.md, and ask again with ${commandText("doctor")}`,
  );
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
