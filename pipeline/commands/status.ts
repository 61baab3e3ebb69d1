import { type Command, Option } from "commander";
import { exitCode } from "../errors.ts";
import { jsonDocument } from "../terminal/json.ts";
import { streamSink } from "../report/sink.ts";
import { textLimitOf } from "../texts/read.ts";
import { settle } from "../home/settings.ts";
import { readLimits } from "../store/limits.ts";
import { openPublished } from "../store/open.ts";
import { proseColumns, type World } from "../world.ts";
import { type Failure, failureList, failures, foundIn } from "../status/fail-on.ts";
import { homeFiles } from "../status/files.ts";
import { readLedger } from "../status/facts.ts";
import { judged } from "../status/judged.ts";
import { prometheusText } from "../status/prometheus.ts";
import { lastDeliveries } from "../delivery/runs.ts";
import { filesText, printDeliveries, printStatus } from "../status/print.ts";
import { textFacts, textsLine } from "../status/texts.ts";

const nothingYet = `
nothing published yet. Start with one of
  auditlake ingest        read the service's audit log
  auditlake import FILE   load a file of audit records
`;

type Flags = {
  readonly json?: true;
  readonly format: "text" | "json" | "prometheus";
  readonly failOn?: readonly Failure[];
};

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
  auditlake status --json | jq .sources[].warnings
  auditlake status --format prometheus > /var/lib/node_exporter/auditlake.prom`;

/** Registers `status`: how the pipeline is doing, read from the published file alone. */
export function status(program: Command, world: World): void {
  program
    .command("status")
    .description("show runs, windows, gaps, what is final, lateness, sizes and errors")
    .option("--json", "as one JSON object")
    .addOption(
      new Option("--format <format>", "form of the output")
        .choices(["text", "json", "prometheus"])
        .default("text"),
    )
    .addOption(
      new Option(
        "--fail-on <list>",
        `exit code ${exitCode.findings} where one of these is found: ${failures.join(",")}`,
      ).argParser(failureList),
    )
    .addHelpText("after", notes)
    .action(async (given: Flags, command: Command) => {
      const { failOn = [] } = given;
      const format = given.json ? "json" : given.format;
      const settings = settle(command, world);
      const { home, config, flags } = settings;
      const files = homeFiles(home);
      const deliveries = lastDeliveries(home);
      const sink = streamSink(world.stdout, world.signal);
      if (files.published === null) {
        const nothing = { ...files, runs: [], sources: [] };
        if (format === "prometheus") return sink(prometheusText(files, nothing, deliveries));
        return sink(format === "json" ? jsonDocument(nothing) : filesText(files) + nothingYet);
      }
      await using database = await openPublished(home.published, readLimits(config));
      const nowMs = world.now();
      const ledger = await readLedger(database.connection, flags.source, config, nowMs);
      const sources = await judged(database.connection, ledger.sources, config, nowMs);
      const queryTexts = await textFacts(database.connection);
      const found = { ...ledger, sources, query_texts: queryTexts };
      if (format === "prometheus") await sink(prometheusText(files, found, deliveries));
      else if (format === "json") await sink(jsonDocument({ ...files, ...found, deliveries }));
      else {
        await sink(filesText(files) + textsLine(queryTexts, textLimitOf(settings, world)));
        await printStatus(found, sink, proseColumns(world));
        await printDeliveries(deliveries, sink, proseColumns(world));
      }
      const failing = await foundIn(failOn, ledger, database.connection, nowMs);
      if (failing.length === 0) return;
      world.stderr.write(`found: ${failing.join(", ")}\n`);
      process.exitCode = exitCode.findings;
    });
}
