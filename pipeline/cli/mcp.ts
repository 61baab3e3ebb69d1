import { type Command, Option } from "commander";
import pLimit from "p-limit";
import { readSettings } from "../base/home/settings.ts";
import { requirePublished } from "../base/home/published.ts";
import type { World } from "../base/world.ts";
import { foundReports, type QueriesFlag, reportsFor } from "../answers/report/find.ts";
import { countOf, questionTime } from "./flag-values.ts";
import { withQueries } from "./output-flags.ts";

type Flags = QueriesFlag & {
  readonly timeout: number;
  readonly maxRows: number;
  readonly maxBytes: number;
};

// Each takes a process and its memory.
const atOnce = 2;

const notes = `
Started by the program that talks to the model, which names it in its configuration:
  { "command": "auditlake", "args": ["--home", "/srv/audit/data", "mcp"] }

It reads the published file and nothing else, sends nothing anywhere, and changes nothing. Every statement
runs in a process of its own, as that of auditlake sql does. Whoever may ask sees the whole log: rows go to
the model, and so to whoever runs it.`;

/** Registers `mcp`: the published data for programs that talk to language models. */
export function mcp(program: Command, world: World): void {
  withQueries(program.command("mcp"))
    .description("run an MCP server for AI assistants, on standard input and output")
    .addOption(
      new Option("--timeout <duration>", "time that a question may take")
        .argParser(questionTime)
        .default(30_000, "30s"),
    )
    .option("--max-rows <count>", "rows in an answer", countOf(8), 200)
    .option("--max-bytes <count>", "bytes of rows in an answer", countOf(8), 100_000)
    .addHelpText("after", notes)
    .action(async (flags: Flags, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      requirePublished(settings.home.published);
      reportsFor(settings, flags, world);
      const { timeout: timeoutMs, maxRows, maxBytes } = flags;
      // Help names this verb, too, and need not wait for what it speaks with.
      const { serveMcp } = await import("../adapters/mcp/serve.ts");
      await serveMcp({
        settings,
        world,
        reports: () => foundReports(settings, flags, world).reports,
        limits: { timeoutMs, maxRows, maxBytes },
        queue: pLimit(atOnce),
      });
    });
}
