import { type Notice, notify, faultOf } from "../base/notice/notice.ts";
import { resultVariable, writeResult } from "../base/notice/result.ts";
import { Command, CommanderError, Option } from "commander";
import {
  AuditlakeError,
  exitCode,
  getFirstError,
  getMessage,
  findSystemAdvice,
} from "../base/errors.ts";
import { escapeLineControls } from "../base/printable.ts";
import { type Register, verbs } from "./verbs.ts";
import { readToolVersion } from "../base/home/version.ts";
import { nameCommandsBy, type OwnFlags } from "../base/command-line.ts";
import { findMeantCommand } from "../base/terminal/mistyped.ts";
import { fitHelp } from "../base/terminal/amounts.ts";
import { type PlainNotice, newRealWorld, countTerminalColumns, type World } from "../base/world.ts";

declare module "commander" {
  interface Command {
    /** Sets what the command does; it resolves to the exit code of the command line. */
    action(work: (...given: never[]) => Promise<number | void>): this;
  }
}

type OnEnd = (code: number | undefined) => void;

/** A command that hands on what its action resolves to: commander leaves that to itself. */
class Verb extends Command {
  readonly #ended: OnEnd;

  constructor(name: string, ended: OnEnd) {
    super(name);
    this.#ended = ended;
  }

  override createCommand(name = ""): Command {
    return new Verb(name, this.#ended);
  }

  override action(work: (...given: never[]) => unknown): this {
    return super.action(async (...given: never[]) => {
      const code = await work(...given);
      this.#ended(typeof code === "number" ? code : undefined);
    });
  }
}

/** Runs one command line; resolves to the exit code. What it came to is left in a result file, where one is named. */
export async function main(argv: readonly string[], outside: World): Promise<number> {
  const notices: Notice[] = [];
  let raised: number | undefined;
  const noteNotice = (notice: PlainNotice): void => {
    notices.push(notice as Notice);
    raised = notice.exitCode ?? raised;
  };
  // Child processes write no result of their own.
  const { [resultVariable]: resultFile, ...env } = outside.env;
  const world = { ...outside, env, noticed: noteNotice };
  let ended: number | undefined;
  const program = newProgram(world, argv, (code) => (ended = code));
  nameCommandsBy(() => program.opts<OwnFlags>());
  try {
    const code = await runProgram(program, argv, world);
    const all = code ?? (ended || (raised ?? exitCode.done));
    writeResult(resultFile, all, notices);
    return all;
  } finally {
    nameCommandsBy(() => ({}));
  }
}

// Undefined where the command came to its end.
async function runProgram(
  program: Command,
  argv: readonly string[],
  world: World,
): Promise<number | undefined> {
  startLineOnInterrupt(world);
  try {
    const registers = await loadVerbs(argv);
    if (registers.length === 0) listVerbs(program);
    for (const register of registers) register(program, world);
    await program.parseAsync([...argv], { from: "user" });
    return undefined;
  } catch (error) {
    return reportError(error, world);
  }
}

// The terminal has just written ^C where the cursor was, so the message begins on a new line.
function startLineOnInterrupt({ signal, stderr }: World): void {
  const start = (): void => void (stderr.isTTY === true && stderr.write("\n"));
  signal.addEventListener("abort", start, { once: true });
}

/** The program with all its verbs, as the documentation shows it. */
export async function loadWholeProgram(world: World): Promise<Command> {
  const program = newProgram(world);
  for (const { load } of Object.values(verbs)) (await load())(program, world);
  return program;
}

function newProgram(
  world: World,
  argv: readonly string[] = [],
  ended: OnEnd = () => undefined,
): Command {
  return new Verb("auditlake", ended)
    .description("Audit-log analytics on DuckDB: scheduled ingest, SQL reports, exports.")
    .version(readToolVersion())
    .option("--home <dir>", "directory of the data (default ./auditlake)")
    .option("--config <file>", "configuration file (default auditlake.json)")
    .option("--source <name>", "only this source, if several are configured")
    .addOption(
      new Option("--log-level <level>", "minimum level of log messages")
        .choices(["debug", "info", "warn", "error", "silent"])
        .default("warn"),
    )
    .option("--quiet", "print only data and errors")
    .addOption(
      new Option("--progress <mode>", "how to show progress")
        .choices(["auto", "plain", "json", "none"])
        .default("auto"),
    )
    .configureOutput({
      writeOut: (text) => void world.stdout.write(fitHelp(text, countTerminalColumns(world))),
      writeErr: (text) => void world.stderr.write(escapeLineControls(text)),
      outputError: (text, write) => write(withAdvice(text, argv)),
    })
    .showSuggestionAfterError(true)
    .exitOverride();
}

// For a word that is unlike any verb commander suggests nothing, so the message says what to type.
function withAdvice(error: string, argv: readonly string[]): string {
  const meant = findMeantCommand({ error, argv });
  const [line = "", rest = ""] = error.split(/\n(.*)/s);
  if (meant !== undefined) return `${line.replace(/\.$/, "")}; did you mean ${meant}?\n`;
  return line.startsWith("error: unknown command '") && rest === ""
    ? `${line}; --help lists all commands\n`
    : error;
}

// Without a verb only the list of verbs is shown, and for that none of them has to be loaded.
function listVerbs(program: Command): void {
  for (const [name, { does }] of Object.entries(verbs)) program.command(name).description(does);
  program.configureHelp({ subcommandTerm: (verb) => verbs[verb.name()]?.term ?? verb.name() });
}

// Completion speaks of every verb. An argument may be a verb's name, too, as the folder of `demo --dir demo`.
async function loadVerbs(argv: readonly string[]): Promise<Register[]> {
  const named = new Set(argv.filter((word) => Object.hasOwn(verbs, word)));
  const wanted = named.has("completion") ? Object.keys(verbs) : [...named];
  return Promise.all(wanted.map((name) => verbs[name]!.load()));
}

function reportError(thrown: unknown, world: World): number {
  const error = getFirstError(thrown);
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return exitCode.done;
    // It is printed already.
    world.noticed?.(faultOf(error, error.message.slice("error: ".length)));
    return exitCode.usage;
  }
  if (world.signal.aborted) return reportInterrupt(error, world);
  if (!(error instanceof AuditlakeError) && world.env["AUDITLAKE_DEBUG"]) throw error;
  const message =
    error instanceof AuditlakeError ? getMessage(error) : joinLines(getMessage(error));
  notify(world, faultOf(error, explainError(message, error)));
  return error instanceof AuditlakeError ? error.exitCode : exitCode.failed;
}

// An error after an interrupt is caused by it. Only an error that reports the progress is printed.
function reportInterrupt(error: unknown, world: World): number {
  if (error instanceof AuditlakeError && error.exitCode === exitCode.interrupted)
    world.stderr.write(`${escapeLineControls(error.message)}\n`);
  return exitCode.interrupted;
}

// A message of auditlake that has the advice already stays unchanged.
function explainError(message: string, error: unknown): string {
  const advice = findSystemAdvice(error);
  if (advice === undefined || message.includes(advice)) return message;
  return `${message}; ${advice}, then run again`;
}

// The message of an unforeseen error may have several lines.
function joinLines(text: string): string {
  return text.replaceAll(/(?<!\s)\s*\n\s*/g, "; ");
}

// A parent such as npx may pass on a signal that the terminal has sent to the command already.
const sameSignalMs = 200;

/** Ctrl-C, SIGTERM and a closed terminal ask for an orderly end once; the second time they end the process at once. */
function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  let firstMs = 0;
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(name, () => {
      const nowMs = performance.now();
      if (!controller.signal.aborted) firstMs = nowMs;
      else if (nowMs - firstMs >= sameSignalMs) endAtOnce();
      controller.abort();
    });
  return controller.signal;
}

// `process.exit` would wait for the database to finish its statement. To die of the signal, which shells show as 130,
// waits for nothing. A progress bar may have hidden the cursor.
function endAtOnce(): void {
  if (process.stderr.isTTY) process.stderr.write("\u001b[?25h");
  process.removeAllListeners("SIGINT");
  process.kill(process.pid, "SIGINT");
}

// A reader such as `head` may close the pipe, which is no failure. A full disk is one.
function endWithoutReader({ code, message }: NodeJS.ErrnoException): void {
  if (code === "EPIPE") process.exit(exitCode.done);
  process.stderr.write(`error: cannot write to standard output: ${message}\n`);
  process.exit(exitCode.failed);
}

/** Runs this process's own command line in the real world and sets the exit code. */
export async function runCommandLine(): Promise<void> {
  process.umask(0o077);
  process.stdout.on("error", endWithoutReader);
  // A closed standard error must not stop the work.
  process.stderr.on("error", () => undefined);
  const signal = interruptSignal();
  process.exitCode = await main(process.argv.slice(2), newRealWorld(signal));
  // After an interrupt nothing waits for a reader that has stopped reading.
  if (signal.aborted) process.exit();
}
