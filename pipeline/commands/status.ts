import { type Command, Option } from "commander";
import { exitCode } from "../errors.ts";
import { jsonDocument } from "./text/json.ts";
import { streamSink } from "../report/sink.ts";
import { settle } from "../settings.ts";
import { readLimits } from "../warehouse/limits.ts";
import { openPublished } from "../warehouse/open.ts";
import { terminalColumns, type World } from "../world.ts";
import { type Failure, failureList, failures, foundIn } from "./status/fail-on.ts";
import { homeFiles } from "./status/files.ts";
import { readLedger } from "./status/facts.ts";
import { judged } from "./status/judged.ts";
import { filesText, printStatus } from "./status/print.ts";

const nothingYet = `
nothing published yet. Start with one of
  auditlake ingest        read the service's audit log
  auditlake import FILE   load a file of audit records
`;

type Flags = { readonly json?: true; readonly failOn?: readonly Failure[] };

const notes = `
All times are UTC. A window is final when two reads after it closed agree and show its end.

--fail-on takes, apart by commas:
  gaps         time that no read could show, or that left the nightly range without being final
  quarantine   the last run met records that cannot be read
  unfinalized  closed windows that are not final, also those that wait for the next nightly read;
               with confirm in the configuration a run reads each closed window twice and leaves none
  drift        policies whose last snapshot and the log disagree

Examples:
  auditlake status
  auditlake status --fail-on gaps,quarantine,unfinalized
  auditlake status --json | jq .sources[].warnings`;

/** Registers `status`: how the pipeline is doing, read from the published file alone. */
export function status(program: Command, world: World): void {
  program
    .command("status")
    .description("show runs, windows, gaps, what is final, lateness, sizes and errors")
    .option("--json", "as one JSON object")
    .addOption(
      new Option(
        "--fail-on <list>",
        `exit code ${exitCode.findings} where one of these is found: ${failures.join(",")}`,
      ).argParser(failureList),
    )
    .addHelpText("after", notes)
    .action(async ({ json, failOn = [] }: Flags, command: Command) => {
      const { home, config, flags } = settle(command, world);
      const files = homeFiles(home);
      const sink = streamSink(world.stdout, world.signal);
      if (files.published === null) {
        const nothing = { ...files, runs: [], sources: [] };
        return sink(json ? jsonDocument(nothing) : filesText(files) + nothingYet);
      }
      await using database = await openPublished(home.published, readLimits(config));
      const nowMs = world.now();
      const ledger = await readLedger(database.connection, flags.source, config, nowMs);
      const sources = await judged(database.connection, ledger.sources, config, nowMs);
      const found = { ...ledger, sources };
      if (json) await sink(jsonDocument({ ...files, ...found }));
      else {
        await sink(filesText(files));
        await printStatus(found, sink, terminalColumns(world));
      }
      const failing = await foundIn(failOn, ledger, database.connection, nowMs);
      if (failing.length === 0) return;
      world.stderr.write(`found: ${failing.join(", ")}\n`);
      process.exitCode = exitCode.findings;
    });
}
