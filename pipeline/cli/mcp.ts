import { type Command, Option } from "commander";
import pLimit from "p-limit";
import { readSettings } from "../base/home/settings.ts";
import { requirePublished } from "../base/home/published.ts";
import type { World } from "../base/world.ts";
import { findAllReports, type QueriesFlag, listReports } from "../base/report/find.ts";
import { newCountParser, questionTime } from "./flag-values.ts";
import { withQueries } from "./output-flags.ts";

type Flags = QueriesFlag & {
  readonly timeout: number;
  readonly maxRows: number;
  readonly maxBytes: number;
};

// Each takes a process and its memory.
const atOnce = 2;

const notes = `
Configure your AI client to start it:
  { "command": "auditlake", "args": ["--home", "/srv/audit/data", "mcp"] }

The server is read-only, reads only the published file and sends nothing elsewhere. Each statement runs in a
separate confined process, like auditlake sql. Clients see the whole log, and rows go to the model and its
provider; --source limits them to one source.`;

/** Registers `mcp`: the published data for programs that talk to language models. */
export function mcp(program: Command, world: World): void {
  withQueries(program.command("mcp"))
    .description("run an MCP server for AI assistants, on standard input and output")
    .addOption(
      new Option("--timeout <duration>", "time limit per query")
        .argParser(questionTime)
        .default(30_000, "30s"),
    )
    .option("--max-rows <count>", "maximum rows per answer", newCountParser(8), 200)
    .option("--max-bytes <count>", "maximum bytes of rows per answer", newCountParser(8), 100_000)
    .addHelpText("after", notes)
    .action(async (flags: Flags, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      requirePublished(settings.home.published);
      listReports(settings, flags, world);
      const { timeout: timeoutMs, maxRows, maxBytes } = flags;
      // Help names this verb, too, and need not wait for what it speaks with.
      const { serveMcp } = await import("../adapters/mcp/serve.ts");
      await serveMcp({
        settings,
        world,
        reports: () => findAllReports(settings, flags, world).reports,
        limits: { timeoutMs, maxRows, maxBytes },
        queue: pLimit(atOnce),
      });
    });
}
