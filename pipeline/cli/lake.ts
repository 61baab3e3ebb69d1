import { type Command, Option } from "commander";
import type { World } from "../base/world.ts";
import { status } from "./lake/status.ts";
import { lakeOf, openStore } from "../adapters/lake/open.ts";
import { ddl as statements } from "../adapters/lake/trino/pinned.ts";
import { engineNames } from "../../schemas/engines.ts";
import { streamSink } from "../answers/report/result.ts";
import { readSettings } from "../base/home/settings.ts";
import { lakeLock, type PublishFlags, publishToLake, verifyOwn } from "../adapters/lake/run.ts";
import { unneededFiles } from "../adapters/lake/vacuum.ts";
import { refuseAborted } from "../adapters/lake/publisher.ts";
import { bytesText, plural } from "../base/terminal/amounts.ts";
import { plainPrinter } from "../base/terminal/printer.ts";
import { durationOf } from "./flag-values.ts";
import { AuditlakeError } from "../base/errors.ts";
import type { Verified } from "../adapters/lake/verify.ts";
import { planText, publishedText } from "./lake/outcome.ts";

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
Printed are a schema with the tables of the lake, as reports of auditlake need them, and a second one (its name
ends in _views) with views for whoever asks by other means; those see the newest commit of each table.

Examples:
  auditlake lake ddl --engine trino > lake.sql
  auditlake lake ddl --engine trino --location local:///audit`;

/** Registers `lake ddl`. */
function ddl(lake: Command, world: World): void {
  lake
    .command("ddl")
    .description("print what to run once at the engine, so that it knows the lake")
    .addOption(
      new Option("--engine <name>", "for which engine").choices(engineNames).makeOptionMandatory(),
    )
    .option("--location <url>", "where the lake lies for the engine (default: lake.location)")
    .addHelpText("after", notes)
    .action(async ({ location }: { readonly location?: string }, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      const { catalog, schema } = settings.config.engines.trino ?? {
        catalog: "lake",
        schema: "audit",
      };
      const at = (location ?? lakeOf(settings).location).replace(/(?<!\/)\/+$/, "");
      const all = statements({ catalog, schema }, at);
      await streamSink(world.stdout)(all.map((sql) => `${sql};\n`).join(""));
    });
}

type Flags = { readonly olderThan: number; readonly dryRun?: true };

const vacuumNotes = `
Removed are files that were replaced before that time, files that a run which was broken off had left before
that time, entries of a log from before the checkpoint that readers of that time begin with, and what says which
publications were before theirs. Who reads a publication that is older than that may miss files; the newest never
does. Files that nothing names stay a week at least: a home may be about to name them.

Examples:
  auditlake lake vacuum --dry-run
  auditlake lake vacuum --older-than 30d`;

const weekMs = 7 * 86_400_000;
const keptFor = durationOf(
  { leastMs: 3_600_000 },
  "1h or more, such as 30d: who reads the lake now may need what was replaced just before",
);

/** Registers `lake vacuum`. */
function vacuum(lake: Command, world: World): void {
  lake
    .command("vacuum")
    .description("remove files that no reader of the lake needs any more")
    .addOption(
      new Option("--older-than <duration>", "keep what was needed since, such as 30d")
        .argParser(keptFor)
        .default(weekMs, "7d"),
    )
    .option("--dry-run", "print the files that would go and stop")
    .addHelpText("after", vacuumNotes)
    .action(async ({ olderThan, dryRun }: Flags, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      await using store = await openStore(settings, world);
      // A publish of this home that takes longer than a week has files that nothing names yet.
      using _lock = await lakeLock(settings, "publish", "lake vacuum", world);
      const files = await unneededFiles(store, olderThan);
      if (dryRun)
        return await streamSink(world.stdout)(
          files.map(({ name, why }) => `${name}  ${why}\n`).join(""),
        );
      for (const [i, { name }] of files.entries()) {
        refuseAborted(
          world.signal,
          `removed ${i} of ${plural(files.length, "file")}; run it again`,
        );
        await store.remove(name);
      }
      const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
      plainPrinter(
        world,
        settings.flags,
      )(`removed ${plural(files.length, "file")} (${bytesText(bytes)})`);
    });
}

const verifyNotes = `
Reads every file that this home has put into the lake: its bytes against the home's own record and the log of
its table, its rows against the published data. Of days that prune took from the database, the bytes alone.

Examples:
  auditlake lake verify`;

/** Registers `lake verify`. */
function verify(lake: Command, world: World): void {
  lake
    .command("verify")
    .description(
      "compare every file of the lake with what was put there and with the published data",
    )
    .addHelpText("after", verifyNotes)
    .action(async (_flags: object, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      const { tables, isMoving } = await verifyOwn(settings, world);
      const lines = tables.flatMap((table) =>
        table.faults.length > 0 ? table.faults : [verifiedText(table)],
      );
      await streamSink(world.stdout)(lines.map((line) => `${line}\n`).join(""));
      const faults = tables.reduce((sum, table) => sum + table.faults.length, 0);
      if (faults > 0)
        throw new AuditlakeError(
          `the lake differs in ${plural(faults, "place")}, told above${isMoving ? "; a publish went on meanwhile: run it again when that has ended" : ""}`,
        );
    });
}

function verifiedText({ table, days, rows, byBytes }: Verified): string {
  const what = `${table}: ${plural(days, "part")}, ${plural(rows, "row")}`;
  if (byBytes === 0) return `${what}, as here`;
  return `${what}; ${days - byBytes} as here, ${byBytes} by bytes alone, since the database may lack rows there`;
}

const publishNotes = `
What is published is what readers have (audit.duckdb). A day whose rows differ from those in the lake is
replaced whole; days that look as they did are left alone, but with --full. What prune took out of the
database stays in the lake. A run that was killed leaves readers of the lake what they had; run it again.
A database that does not know the newest publication, as after an older copy was restored, is refused; --full
makes the lake level with it, and prints first which events and runs the lake loses.

Examples:
  auditlake lake publish
  auditlake lake publish --dry-run
  auditlake lake publish --full`;

/** Registers `lake publish`. */
function publish(lake: Command, world: World): void {
  lake
    .command("publish")
    .description("bring the tables of the lake level with the published data")
    .option(
      "--full",
      "compare the rows of every day and look at every file: what is lost or damaged is written anew",
    )
    .option("--dry-run", "print what would be put there and stop")
    .addHelpText("after", publishNotes)
    .action(async (flags: PublishFlags, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      const print = plainPrinter(world, settings.flags);
      const outcome = await publishToLake(settings, flags, world, { warn: print });
      if (flags.dryRun) return streamSink(world.stdout)(planText(outcome));
      print(publishedText(outcome));
    });
}
