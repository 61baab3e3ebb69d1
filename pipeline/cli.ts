import { Command, CommanderError, Option } from "commander";
import { AuditlakeError, exitCode, messageOf } from "./errors.ts";
import { printableLines } from "./printable.ts";
import { toolVersion } from "./version.ts";
import { realWorld, type World } from "./world.ts";

type Register = (program: Command, world: World) => void;

// Each verb is loaded only when it is asked for; help loads them all.
const verbs: Readonly<Record<string, () => Promise<Register>>> = {
  ingest: async () => (await import("./commands/ingest.ts")).ingest,
  import: async () => (await import("./commands/import.ts")).importFiles,
  report: async () => (await import("./commands/report.ts")).report,
  sql: async () => (await import("./commands/sql.ts")).sql,
  status: async () => (await import("./commands/status.ts")).status,
  catalog: async () => (await import("./commands/catalog.ts")).catalog,
  users: async () => (await import("./commands/users.ts")).users,
  publish: async () => (await import("./commands/publish.ts")).publish,
  rebuild: async () => (await import("./commands/rebuild.ts")).rebuild,
  doctor: async () => (await import("./commands/doctor.ts")).doctor,
  simulate: async () => (await import("./commands/simulate.ts")).simulate,
  demo: async () => (await import("./commands/demo.ts")).demo,
};

/** Runs one command line; resolves to the exit code. */
export async function main(argv: readonly string[], world: World): Promise<number> {
  const program = newProgram(world);
  try {
    for (const register of await chosen(argv)) register(program, world);
    await program.parseAsync([...argv], { from: "user" });
    return Number(process.exitCode ?? exitCode.done);
  } catch (error) {
    return report(error, world);
  }
}

/** The program with all its verbs, as the documentation shows it. */
export async function wholeProgram(world: World): Promise<Command> {
  const program = newProgram(world);
  for (const load of Object.values(verbs)) (await load())(program, world);
  return program;
}

function newProgram(world: World): Command {
  return new Command("auditlake")
    .description("Audit-log analytics on DuckDB: pull every night, lose nothing, answer in SQL.")
    .version(toolVersion())
    .option("--home <dir>", "directory of the data (default ./auditlake)")
    .option("--config <file>", "configuration file (default auditlake.json)")
    .option("--source <name>", "source to work on, where several are configured")
    .addOption(
      new Option("--log-level <level>", "what to log")
        .choices(["debug", "info", "warn", "error", "silent"])
        .default("warn"),
    )
    .option("--quiet", "print nothing but data and errors")
    .addOption(
      new Option("--progress <mode>", "how to show progress")
        .choices(["auto", "plain", "json", "none"])
        .default("auto"),
    )
    .configureOutput({
      writeOut: (text) => void world.stdout.write(text),
      writeErr: (text) => void world.stderr.write(printableLines(text)),
    })
    .showSuggestionAfterError(true)
    .exitOverride();
}

async function chosen(argv: readonly string[]): Promise<Register[]> {
  const named = argv.filter((word) => Object.hasOwn(verbs, word)).map((word) => verbs[word]!);
  const wanted = named.length === 0 || argv[0] === "help" ? Object.values(verbs) : named;
  return Promise.all(wanted.map((load) => load()));
}

function report(error: unknown, world: World): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.done : exitCode.usage;
  if (world.signal.aborted) return exitCode.interrupted;
  if (!(error instanceof AuditlakeError) && world.env["AUDITLAKE_DEBUG"]) throw error;
  const message = error instanceof AuditlakeError ? messageOf(error) : oneLine(messageOf(error));
  world.stderr.write(`error: ${printableLines(message)}\n`);
  return error instanceof AuditlakeError ? error.exitCode : exitCode.failed;
}

// What was not foreseen may bring lines of its own.
function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, "; ");
}

/** Ctrl-C and SIGTERM ask for an orderly end once; the second time they end the process. */
function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const)
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(exitCode.interrupted);
      controller.abort();
    });
  return controller.signal;
}

/** Runs this process's own command line in the real world and sets the exit code. */
export async function runCommandLine(): Promise<void> {
  process.umask(0o077);
  process.stdout.on("error", (error: NodeJS.ErrnoException) =>
    process.exit(error.code === "EPIPE" ? exitCode.done : exitCode.failed),
  );
  process.exitCode = await main(process.argv.slice(2), realWorld(interruptSignal()));
}
