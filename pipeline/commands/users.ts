import type { Command } from "commander";
import { formats, renderRows, type RowFormat } from "../report/formats.ts";
import { runStatement } from "../report/run.ts";
import { streamSink } from "../report/sink.ts";
import { readAsset } from "../assets.ts";
import { settle } from "../settings.ts";
import { openPublished } from "../warehouse/open.ts";
import type { World } from "../world.ts";

/** Registers `users`. */
export function users(program: Command, world: World): void {
  program
    .command("users")
    .description("the user directory as last read, with each user's last event")
    .option("--format <format>", "table, csv, tsv, json, ndjson or markdown", "table")
    .addHelpText(
      "after",
      "\nExamples:\n  auditlake users\n  auditlake users --format csv > users.csv",
    )
    .action(async ({ format }: { format: string }, command: Command) => {
      const settings = settle(command, world);
      const { memory_limit: memoryLimit, threads } = settings.config;
      await using database = await openPublished(settings.home.published, { memoryLimit, threads });
      const statement = { sql: readAsset("queries/status/users.sql"), values: {} };
      const result = await runStatement(database.connection, statement, world.signal);
      await renderRows(format as RowFormat, result, streamSink(world.stdout), {
        columns: world.stdout.columns ?? 80,
      });
    });
}
