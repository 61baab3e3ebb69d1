import { formatJsonDocument } from "../base/printable.ts";
import { notify } from "../base/notice/notice.ts";
import { type Command, Option } from "commander";
import type { Catalog } from "../../schemas/catalog.ts";
import { exitCode } from "../base/errors.ts";
import { type RowFormat, renderRows, rowFormats } from "../answers/report/formats.ts";
import { newStreamSink } from "../answers/report/result.ts";
import { readSettings } from "../base/home/settings.ts";
import { countTerminalColumns, type World } from "../base/world.ts";
import {
  findEntriesByPath,
  listEntryRows,
  findEvent,
  formatFound,
  isPath,
} from "../answers/catalog/entries.ts";
import { printCoverage, readPublishedCoverage } from "../answers/catalog/coverage.ts";
import { describeBrokenExtra, findKnownCatalog } from "../core/writer/catalog.ts";

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
      const known = await readKnown(command, world);
      const rows = listEntryRows(known, flags.area, flags.format !== "table");
      await renderRows(flags.format, rows, newStreamSink(world.stdout, world.signal), {
        forTerminal: world.stdout.isTTY === true,
        columns: countTerminalColumns(world),
      });
    });
}

function addShow(verb: Command, world: World): void {
  verb
    .command("show")
    .description("show the calls and fields of an event; accepts old names")
    .argument("<event>", "event name, or request path with or without verb")
    .addOption(newFormOption())
    .addHelpText(
      "after",
      "\nExamples:\n  auditlake catalog show job_issue\n  auditlake catalog show schedule_run --format json\n  auditlake catalog show 'DELETE /v4/queries/12'",
    )
    .action(async (name: string, { format }: Form, command: Command) => {
      const known = await readKnown(command, world);
      const found = isPath(name)
        ? { name, isAlias: false, entries: findEntriesByPath(known, name) }
        : findEvent(known, name);
      const text = format === "json" ? formatJsonDocument(found) : formatFound(found, known);
      await newStreamSink(world.stdout)(text);
    });
}

function addCoverage(verb: Command, world: World): void {
  verb
    .command("coverage")
    .description("compare the reference with the published data: unknown events, unused entries")
    .addOption(newFormOption())
    .addHelpText(
      "after",
      "\nExamples:\n  auditlake catalog coverage\n  auditlake catalog coverage --format json",
    )
    .action(async ({ format }: Form, command: Command) => {
      const coverage = await readPublishedCoverage(readSettings(command.optsWithGlobals(), world));
      const sink = newStreamSink(world.stdout, world.signal);
      if (format === "json") await sink(formatJsonDocument(coverage));
      else await printCoverage(coverage, sink, countTerminalColumns(world));
    });
}

async function readKnown(command: Command, world: World): Promise<Catalog> {
  const settings = readSettings(command.optsWithGlobals(), world);
  const fault = describeBrokenExtra(settings);
  if (fault !== undefined) notify(world, fault, exitCode.partial);
  return (await findKnownCatalog(settings)).catalog;
}

function newFormOption(): Option {
  return new Option("--format <format>", "output format").choices(["text", "json"]).default("text");
}
