import { type Command, Option } from "commander";
import { UsageError } from "../../base/errors.ts";
import { jsonAsWritten } from "../../core/records/canonical.ts";
import { grantsOf, type Grant } from "../../core/records/permissions.ts";
import { printableJson } from "../../base/printable.ts";
import { renderRows, type RowFormat, rowFormats } from "../../answers/report/formats.ts";
import { streamSink, textResult } from "../../answers/report/result.ts";
import { currentSet } from "../../answers/access/change.ts";
import { terminalColumns, type World } from "../../base/world.ts";
import { askPublished } from "../published.ts";
import { policyOf } from "./list.ts";
import { momentMs } from "../../base/time/asked-moment.ts";
import { plainPrinter } from "../../base/terminal/printer.ts";
import { onPolicy } from "../../answers/access/target.ts";
import { readSettings } from "../../base/home/settings.ts";

type Flags = {
  readonly format: RowFormat;
  readonly on?: string;
  readonly timezone: string;
};

/** Registers `policy get`. */
export function addGet(verb: Command, world: World): void {
  verb
    .command("get")
    .description("show the permission set of a policy")
    .argument("<policy>", "id or name of the policy, also a former name")
    .option(
      "--on <time>",
      "what log and snapshots tell of that moment, instead of asking the service",
    )
    .option("--timezone <zone>", "where a date's day ends", "UTC")
    .addOption(
      new Option(
        "--format <format>",
        "json without --on is the set as the service sends it, fit for set --file",
      )
        .choices(rowFormats)
        .default("table"),
    )
    .addHelpText(
      "after",
      "\nWith --on the table says since when each permission is held, given by whom, and on\nwhat evidence; a date means the end of that day in --timezone.\n\nExamples:\n  auditlake policy get 1234\n  auditlake policy get Analysts --on 2026-03-01\n  auditlake policy get 1234 --format json > policy-1234.json",
    )
    .action(async (name: string, flags: Flags, command: Command) => {
      const { format, on } = flags;
      if (on !== undefined) {
        const print = plainPrinter(world, command.optsWithGlobals());
        const onMs = momentMs(on, flags.timezone, world.now());
        await askPublished("policy", policyOf(name, { onMs, print }), flags, command, world);
        return;
      }
      if (format !== "table" && format !== "json")
        throw new UsageError(`--format ${format} is for --on; expected table or json`);
      const set = await onPolicy(
        name,
        readSettings(command.optsWithGlobals(), world),
        world,
        ({ client, id }) => currentSet(client, id),
      );
      const sink = streamSink(world.stdout, world.signal);
      if (format === "json") return sink(`${printableJson(jsonAsWritten(set, 2))}\n`);
      const rows = tableOf(grantsOf(set));
      await renderRows("table", rows, sink, { columns: terminalColumns(world) });
    });
}

const columns = {
  resource_kind: (grant: Grant) => grant.kind,
  operation: (grant: Grant) => grant.operation,
  object_id: (grant: Grant) => grant.objectId,
  object_name: (grant: Grant) => grant.objectName,
  details: (grant: Grant) => grant.details,
};

// Names and details are seldom there; a column that would be empty is left out.
function tableOf(grants: readonly Grant[]): ReturnType<typeof textResult> {
  const shown = Object.entries(columns).filter(
    ([name, of]) =>
      !["object_name", "details"].includes(name) || grants.some((grant) => of(grant) !== null),
  );
  return textResult(
    shown.map(([name]) => name),
    grants.map((grant) => shown.map(([, of]) => of(grant))),
  );
}
