import { type Command, InvalidArgumentError, Option } from "commander";
import pLimit from "p-limit";
import { parseDuration } from "../../schemas/duration.ts";
import { readSettings } from "../home/settings.ts";
import { requirePublished } from "../store/published.ts";
import type { World } from "../world.ts";
import {
  foundReports,
  type QueriesFlag,
  reportsFor,
  withQueries,
} from "../report/queries-folder.ts";

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
    .description("answer programs that talk to language models (Model Context Protocol, on stdio)")
    .addOption(
      new Option("--timeout <duration>", "time that a question may take")
        .argParser(toDuration)
        .default(30_000, "30s"),
    )
    .option("--max-rows <count>", "rows in an answer", toCount, 200)
    .option("--max-bytes <count>", "bytes of rows in an answer", toCount, 100_000)
    .addHelpText("after", notes)
    .action(async (flags: Flags, command: Command) => {
      const settings = readSettings(command, world);
      requirePublished(settings.home.published);
      reportsFor(settings, flags, world);
      const { timeout: timeoutMs, maxRows, maxBytes } = flags;
      // Help names this verb, too, and need not wait for what it speaks with.
      const { serveMcp } = await import("../mcp/serve.ts");
      await serveMcp({
        settings,
        world,
        reports: () => foundReports(settings, flags, world).reports,
        limits: { timeoutMs, maxRows, maxBytes },
        queue: pLimit(atOnce),
      });
    });
}

function toDuration(given: string): number {
  const ms = parseDuration(given);
  if (ms !== undefined && ms > 0 && ms <= 3_600_000) return ms;
  throw new InvalidArgumentError("Expected a duration up to 1h, such as 30s or 5m.");
}

function toCount(given: string): number {
  if (/^[1-9]\d{0,7}$/.test(given)) return Number(given);
  throw new InvalidArgumentError("Expected a whole number from 1.");
}
