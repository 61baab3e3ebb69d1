import { type Command, Option } from "commander";
import type { World } from "../base/world.ts";
import { status } from "./lake/status.ts";
import { getLake, openStore } from "../adapters/lake/open.ts";
import { writeDdl as statements } from "../adapters/lake/trino/pin-sql.ts";
import { engineNames } from "../../schemas/engines.ts";
import { newStreamSink } from "../answers/report/result.ts";
import { readSettings } from "../base/home/settings.ts";
import { takeLakeLock, type PublishFlags, publishToLake, verifyOwn } from "../adapters/lake/run.ts";
import { listUnneededFiles } from "../adapters/lake/vacuum.ts";
import { refuseAborted } from "../adapters/lake/publisher.ts";
import { formatBytes, formatCount } from "../base/terminal/amounts.ts";
import { plainPrinter } from "../base/notice/printer.ts";
import { newDurationParser } from "./flag-values.ts";
import { AuditlakeError } from "../base/errors.ts";
import type { VerifiedTable } from "../adapters/lake/verify.ts";
import { planText, formatPublished } from "./lake/outcome.ts";

/** Registers `lake` and what can be done with it. */
export function lake(program: Command, world: World): void {
  const verb = program
    .command("lake")
    .description("publish the rows as Delta tables for distributed query engines such as Trino");
  publish(verb, world);
  status(verb, world);
  verify(verb, world);
  vacuum(verb, world);
  ddl(verb, world);
}

const notes = `
Prints a schema with the tables of the lake for auditlake reports, and a second one (its name ends in _views) with
views for other clients, which see the newest commit of each table.

Examples:
  auditlake lake ddl --engine trino > lake.sql
  auditlake lake ddl --engine trino --location local:///audit`;

function ddl(lake: Command, world: World): void {
  lake
    .command("ddl")
    .description("print the statements that register the lake with the engine")
    .addOption(new Option("--engine <name>", "engine").choices(engineNames).makeOptionMandatory())
    .option(
      "--location <url>",
      "location of the lake as seen by the engine (default: lake.location)",
    )
    .addHelpText("after", notes)
    .action(async ({ location }: { readonly location?: string }, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      const { catalog, schema } = settings.config.engines.trino ?? {
        catalog: "lake",
        schema: "audit",
      };
      const at = (location ?? getLake(settings).location).replace(/(?<!\/)\/+$/, "");
      const all = statements({ catalog, schema }, at);
      await newStreamSink(world.stdout)(all.map((sql) => `${sql};\n`).join(""));
    });
}

type Flags = { readonly olderThan: number; readonly dryRun?: true };

const vacuumNotes = `
Removes files replaced before that time, files left by interrupted runs before that time, log entries that readers
of that time no longer need, and older lists of publications. Readers of a publication older than that may miss
files; the newest publication stays complete. Files without a commit stay for at least a week, because another home
may be about to commit them.

Examples:
  auditlake lake vacuum --dry-run
  auditlake lake vacuum --older-than 30d`;

const weekMs = 7 * 86_400_000;
const keptFor = newDurationParser(
  { leastMs: 3_600_000 },
  "1h or more, such as 30d: current readers of the lake may need recently replaced files",
);

function vacuum(lake: Command, world: World): void {
  lake
    .command("vacuum")
    .description("remove files that readers of the lake no longer need")
    .addOption(
      new Option("--older-than <duration>", "retain files needed since then, such as 30d")
        .argParser(keptFor)
        .default(weekMs, "7d"),
    )
    .option("--dry-run", "print the files that would be removed and stop")
    .addHelpText("after", vacuumNotes)
    .action(async ({ olderThan, dryRun }: Flags, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      await using store = await openStore(settings, world);
      // A publish of this home that takes longer than a week has files that nothing names yet.
      using _lock = await takeLakeLock(settings, "publish", "lake vacuum", world);
      const files = await listUnneededFiles(store, olderThan);
      if (dryRun)
        return await newStreamSink(world.stdout)(
          files.map(({ name, why }) => `${name}  ${why}\n`).join(""),
        );
      for (const [i, { name }] of files.entries()) {
        refuseAborted(
          world.signal,
          `removed ${i} of ${formatCount(files.length, "file")}; run it again`,
        );
        await store.remove(name);
      }
      const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
      plainPrinter(
        world,
        settings.flags,
      )(`removed ${formatCount(files.length, "file")} (${formatBytes(bytes)})`);
    });
}

const verifyNotes = `
Reads every file of this home in the lake and compares its bytes with the records of the home and the table log,
and its rows with the published data. For pruned days it compares only the bytes.

Examples:
  auditlake lake verify`;

function verify(lake: Command, world: World): void {
  lake
    .command("verify")
    .description(
      "compare every file of the lake with the records of this home and the published data",
    )
    .addHelpText("after", verifyNotes)
    .action(async (_flags: object, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      const { tables, isMoving } = await verifyOwn(settings, world);
      const lines = tables.flatMap((table) =>
        table.faults.length > 0 ? table.faults : [formatVerified(table)],
      );
      await newStreamSink(world.stdout)(lines.map((line) => `${line}\n`).join(""));
      const faults = tables.reduce((sum, table) => sum + table.faults.length, 0);
      if (faults > 0)
        throw new AuditlakeError(
          `the lake has ${formatCount(faults, "difference")}, listed above${isMoving ? "; a publication was active: run it again after the publication" : ""}`,
        );
    });
}

function formatVerified({ table, days, rows, byBytes }: VerifiedTable): string {
  const what = `${table}: ${formatCount(days, "part")}, ${formatCount(rows, "row")}`;
  if (byBytes === 0) return `${what}, all match`;
  return `${what}; ${days - byBytes} match, ${byBytes} by bytes alone, because the database may not have all of their rows`;
}

const publishNotes = `
Publishes the data of audit.duckdb. A day whose rows differ from the lake is replaced completely; unchanged days
are skipped, except with --full. Pruned events stay in the lake. After a killed run, readers of the lake have the
previous data; run the command again. A database without the newest reads of the lake, such as a restored older
copy, is refused; --full makes the lake equal to it, and first prints which events and runs the lake loses.

Examples:
  auditlake lake publish
  auditlake lake publish --dry-run
  auditlake lake publish --full`;

function publish(lake: Command, world: World): void {
  lake
    .command("publish")
    .description("update the tables of the lake from the published data")
    .option(
      "--full",
      "compare the rows of every day and check every file; rewrite lost or damaged data",
    )
    .option("--dry-run", "print what would be written and stop")
    .addHelpText("after", publishNotes)
    .action(async (flags: PublishFlags, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      const print = plainPrinter(world, settings.flags);
      const outcome = await publishToLake(settings, flags, world, { warn: print });
      if (flags.dryRun) return newStreamSink(world.stdout)(planText(outcome));
      print(formatPublished(outcome));
    });
}
