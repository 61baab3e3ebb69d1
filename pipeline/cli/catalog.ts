import { jsonDocument } from "../base/printable.ts";
import { notify } from "../base/notice/notice.ts";
import { type Command, Option } from "commander";
import type { Catalog } from "../../schemas/catalog.ts";
import { exitCode } from "../base/errors.ts";
import { type RowFormat, renderRows, rowFormats } from "../answers/report/formats.ts";
import { streamSink } from "../answers/report/result.ts";
import { readSettings } from "../base/home/settings.ts";
import { terminalColumns, type World } from "../base/world.ts";
import {
  entriesByPath,
  entryRows,
  findEvent,
  foundText,
  isPath,
} from "../answers/catalog/entries.ts";
import { printCoverage, publishedCoverage } from "../answers/catalog/coverage.ts";
import { brokenExtra, knownCatalog } from "../core/writer/catalog.ts";

type Form = { readonly format: "text" | "json" };

/** Registers `catalog list`, `catalog show` and `catalog coverage`. */
export function catalog(program: Command, world: World): void {
  const verb = program
    .command("catalog")
    .description("list the known events, and compare the catalog with the data");
  addList(verb, world);
  addShow(verb, world);
  addCoverage(verb, world);
}

function addList(verb: Command, world: World): void {
  verb
    .command("list")
    .description("list the events of the reference, one row per area and variant")
    .option("--area <area>", "only events of this area (heading)")
    .addOption(
      new Option("--format <format>", "output format").choices(rowFormats).default("table"),
    )
    .addHelpText(
      "after",
      "\nExamples:\n  auditlake catalog list\n  auditlake catalog list --area Queries --format csv",
    )
    .action(async (flags: { area?: string; format: RowFormat }, command: Command) => {
      const known = await knownFor(command, world);
      const rows = entryRows(known, flags.area, flags.format !== "table");
      await renderRows(flags.format, rows, streamSink(world.stdout, world.signal), {
        forTerminal: world.stdout.isTTY === true,
        columns: terminalColumns(world),
      });
    });
}

function addShow(verb: Command, world: World): void {
  verb
    .command("show")
    .description("show the calls and fields of an event; accepts old names")
    .argument("<event>", "event name, or request path with or without verb")
    .addOption(formOption())
    .addHelpText(
      "after",
      "\nExamples:\n  auditlake catalog show job_issue\n  auditlake catalog show schedule_run --format json\n  auditlake catalog show 'DELETE /v4/queries/12'",
    )
    .action(async (name: string, { format }: Form, command: Command) => {
      const known = await knownFor(command, world);
      const found = isPath(name)
        ? { name, isAlias: false, entries: entriesByPath(known, name) }
        : findEvent(known, name);
      const text = format === "json" ? jsonDocument(found) : foundText(found, known);
      await streamSink(world.stdout)(text);
    });
}

function addCoverage(verb: Command, world: World): void {
  verb
    .command("coverage")
    .description("compare the reference with the published data: unknown events, unused entries")
    .addOption(formOption())
    .addHelpText(
      "after",
      "\nExamples:\n  auditlake catalog coverage\n  auditlake catalog coverage --format json",
    )
    .action(async ({ format }: Form, command: Command) => {
      const coverage = await publishedCoverage(readSettings(command.optsWithGlobals(), world));
      const sink = streamSink(world.stdout, world.signal);
      if (format === "json") await sink(jsonDocument(coverage));
      else await printCoverage(coverage, sink, terminalColumns(world));
    });
}

async function knownFor(command: Command, world: World): Promise<Catalog> {
  const settings = readSettings(command.optsWithGlobals(), world);
  const fault = brokenExtra(settings);
  if (fault !== undefined) notify(world, fault, exitCode.partial);
  return (await knownCatalog(settings)).catalog;
}

function formOption(): Option {
  return new Option("--format <format>", "output format").choices(["text", "json"]).default("text");
}
