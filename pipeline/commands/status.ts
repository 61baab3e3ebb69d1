import type { Command } from "commander";
import { jsonDocument } from "./text/json.ts";
import { streamSink } from "../report/sink.ts";
import { settingsOf } from "../run/source-settings.ts";
import { settle } from "../settings.ts";
import { openPublished } from "../warehouse/open.ts";
import { terminalColumns, type World } from "../world.ts";
import { homeFiles } from "./status/files.ts";
import { readLedger } from "./status/facts.ts";
import { warningsOf } from "./status/warnings.ts";
import { filesText, printStatus } from "./status/print.ts";

const nothingYet = `
nothing published yet. Start with one of
  auditlake ingest        read the service's audit log
  auditlake import FILE   load a file of audit records
`;

/** Registers `status`: how the pipeline is doing, read from the published file alone. */
export function status(program: Command, world: World): void {
  program
    .command("status")
    .description("show runs, windows, gaps, what is final, lateness, sizes and errors")
    .option("--json", "as one JSON object")
    .addHelpText(
      "after",
      "\nAll times are UTC.\n\nExamples:\n  auditlake status\n  auditlake status --json | jq .sources[].warnings",
    )
    .action(async ({ json }: { json?: true }, command: Command) => {
      const { home, config, flags } = settle(command, world);
      const files = homeFiles(home);
      const sink = streamSink(world.stdout, world.signal);
      if (files.published === null) {
        const nothing = { ...files, runs: [], sources: [] };
        return sink(json ? jsonDocument(nothing) : filesText(files) + nothingYet);
      }
      const { memory_limit: memoryLimit, threads } = config;
      await using database = await openPublished(home.published, { memoryLimit, threads });
      const nowMs = world.now();
      const ledger = await readLedger(database.connection, flags.source, config, nowMs);
      const sources = ledger.sources.map((facts) => {
        const settings = settingsOf(facts.source, config);
        const { lookback } = settings;
        return { ...facts, lookback_ms: lookback, warnings: warningsOf(facts, settings, nowMs) };
      });
      const found = { ...ledger, sources };
      if (json) return await sink(jsonDocument({ ...files, ...found }));
      await sink(filesText(files));
      await printStatus(found, sink, terminalColumns(world));
    });
}
