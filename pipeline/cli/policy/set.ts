import { type Command, Option } from "commander";
import { UsageError } from "../../base/errors.ts";
import { compareSets, type Grant, listGrants } from "../../core/records/permissions.ts";
import { countTerminalColumns, type World } from "../../base/world.ts";
import {
  applyEdits,
  checkWanted,
  flagOfSet,
  parseEdit,
  readSetFile,
} from "../../answers/access/wanted-set.ts";
import { type Plan, send, type SendFlags } from "../../answers/access/send.ts";
import { withPolicy, type Target } from "../../answers/access/target.ts";
import { collect } from "../flag-values.ts";
import { readSettings } from "../../base/home/settings.ts";
import { writeJson } from "../../core/records/canonical.ts";
import { escapeJsonControls } from "../../base/printable.ts";
import { renderRows, type RowFormat, rowFormats } from "../../answers/report/formats.ts";
import { newStreamSink, newTextResult } from "../../answers/report/result.ts";
import { readCurrentSet } from "../../answers/access/change.ts";
import { askPublished } from "../published.ts";
import { newPolicyFinder } from "./changes.ts";
import { parseMomentMs } from "../../base/time/times.ts";
import { plainPrinter } from "../../base/notice/printer.ts";
import type { PermissionSet } from "../../../schemas/policies.ts";
import { readEntriesAt } from "../../answers/access/policy-rights.ts";

type Flags = SendFlags & {
  readonly file?: string;
  readonly grant?: readonly string[];
  readonly revoke?: readonly string[];
  readonly allowUndocumented?: true;
};

const notes = `
The command reads the current set and shows additions (+) and removals (-): the service
receives the complete set, and permissions left out of it are removed. It asks on a
terminal; scripts need --yes. Immediately before sending it reads the set again, and
refuses if it changed. The set is sent once and never resent, then read back and
compared. Without a change nothing is sent. The command prints the number of affected
users, warns if manage is granted, and shows what the user of the API key
(sources.<name>.api_user) would lose. policy changes lists the sent sets with reasons.

import, query and edit carry database ids; manage, download and owner_manage carry none;
each has at most one entry. Other content, such as kinds of resources beside Databases,
needs --allow-undocumented, because its effect in the service is unknown. Single values
beside the arrays, such as updated_at, are left out; a duplicate key is refused. If the
service retains kinds that the set does not name, the exit code is 6.

Examples:
  auditlake policy set 1234 --grant query:101,102 --revoke edit --dry-run
  auditlake policy set 1234 --grant manage
  auditlake policy set 1234 --file policy-1234.json --yes`;

/** Registers `policy set`. */
export function addSet(verb: Command, world: World): void {
  withSending(
    verb
      .command("set")
      .description("set the permissions of a policy, from a file or by single grants"),
  )
    .argument("<policy>", "id, name or previous name of the policy")
    .option("--file <file>", "the complete new set as JSON")
    .option("--grant <op:ids>", "add this to the current set; repeatable", collect)
    .option(
      "--revoke <op:ids>",
      "remove this from the current set, without ids the complete operation; repeatable",
      collect,
    )
    .option("--allow-undocumented", "also send kinds that the reference does not show")
    .addHelpText("after", notes)
    .action((name: string, flags: Flags, command: Command) => {
      const plan = buildPlan(flags);
      return withPolicy(name, readSettings(command.optsWithGlobals(), world), world, (target) =>
        send(target, "set", plan, flags, world),
      );
    });
}

// Validates everything possible before the first request.
function buildPlan({ file, grant = [], revoke = [], allowUndocumented }: Flags): Plan {
  const isLoose = allowUndocumented === true;
  const edits = {
    grant: grant.map((text) => parseEdit(text, "--grant")),
    revoke: revoke.map((text) => parseEdit(text, "--revoke")),
  };
  const hasEdits = grant.length + revoke.length > 0;
  if ((file !== undefined) === hasEdits)
    throw new UsageError("expected either --file with the complete set, or --grant and --revoke");
  if (file !== undefined) {
    const wanted = readSetFile(file, isLoose);
    return () => wanted;
  }
  for (const edit of edits.grant) {
    const alone = { operation: edit.operation, ...(edit.ids && { ids: edit.ids.join(",") }) };
    checkWanted({ Databases: [alone] }, `--grant ${edit.operation}`, isLoose);
  }
  return (before) => {
    const wanted = applyEdits(before, edits);
    if (compareSets(before, wanted).added.length + compareSets(before, wanted).removed.length > 0)
      checkWanted(wanted, "the resulting set", isLoose);
    return wanted;
  };
}

type GetFlags = {
  readonly format: RowFormat;
  readonly on?: string;
  readonly timezone: string;
};

/** Registers `policy get`. */
export function addGet(verb: Command, world: World): void {
  verb
    .command("get")
    .description("show the permission set of a policy")
    .argument("<policy>", "id, name or previous name of the policy")
    .option("--on <time>", "from log and snapshots at this moment, instead of the service")
    .option("--timezone <zone>", "time zone of dates", "UTC")
    .addOption(
      new Option(
        "--format <format>",
        "json without --on is the set as the service sends it, for set --file",
      )
        .choices(rowFormats)
        .default("table"),
    )
    .addHelpText(
      "after",
      "\nWith --on, the table shows start, grantor and evidence of each permission; a date means\nthe end of that day in --timezone.\n\nExamples:\n  auditlake policy get 1234\n  auditlake policy get Analysts --on 2026-03-01\n  auditlake policy get 1234 --format json > policy-1234.json",
    )
    .action(async (name: string, flags: GetFlags, command: Command) => {
      const { format, on } = flags;
      if (on !== undefined) {
        const print = plainPrinter(world, command.optsWithGlobals());
        const onMs = parseMomentMs(on, flags.timezone, world.now());
        await askPublished("policy", newPolicyFinder(name, { onMs, print }), flags, command, world);
        return;
      }
      if (format !== "table" && format !== "json")
        throw new UsageError(`--format ${format} requires --on; expected table or json`);
      const set = await withPolicy(
        name,
        readSettings(command.optsWithGlobals(), world),
        world,
        ({ client, id }) => readCurrentSet(client, id),
      );
      const sink = newStreamSink(world.stdout, world.signal);
      if (format === "json") return sink(`${escapeJsonControls(writeJson(set, 2))}\n`);
      const rows = buildTable(listGrants(set));
      await renderRows("table", rows, sink, { columns: countTerminalColumns(world) });
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
function buildTable(grants: readonly Grant[]): ReturnType<typeof newTextResult> {
  const shown = Object.entries(columns).filter(
    ([name, of]) =>
      !["object_name", "details"].includes(name) || grants.some((grant) => of(grant) !== null),
  );
  return newTextResult(
    shown.map(([name]) => name),
    grants.map((grant) => shown.map(([, of]) => of(grant))),
  );
}

type RestoreFlags = SendFlags & { readonly on: string; readonly timezone: string };

/** Registers `policy restore`. */
export function addRestore(verb: Command, world: World): void {
  withSending(
    verb
      .command("restore")
      .description("set a policy to its permissions at a moment, from log and snapshots")
      .argument("<policy>", "id, name or previous name of the policy")
      .requiredOption(
        "--on <time>",
        "moment: date, month or yesterday (its end), RFC 3339 time, 7d",
      )
      .option("--timezone <zone>", "time zone of dates", "UTC"),
  )
    .addHelpText(
      "after",
      "\nRestores rights on databases; other kinds are not changed. Permissions that are uncertain at\nthat moment are refused: see policy get --on.\n\nExamples:\n  auditlake policy restore Analysts --on 2026-03-01 --dry-run\n  auditlake policy restore 1234 --on 7d --reason 'undo of a mistake'",
    )
    .action((name: string, flags: RestoreFlags, command: Command) => {
      const onMs = parseMomentMs(flags.on, flags.timezone, world.now());
      const sendPlan = async (target: Target): Promise<void> => {
        world.stderr.write(`on ${new Date(onMs).toISOString()}\n`);
        const entries = await readEntriesAt(target, onMs, flags.on);
        const planSet = (before: PermissionSet): PermissionSet => {
          const wanted = { ...before, Databases: entries };
          checkWanted({ Databases: entries }, "the set of that moment", false, flagOfSet);
          return wanted;
        };
        await send(target, "restore", planSet, flags, world);
      };
      return withPolicy(
        name,
        readSettings(command.optsWithGlobals(), world),
        world,
        sendPlan,
        onMs,
      );
    });
}

/** Adds the flags of the verbs that send a permission set: `--reason`, `--dry-run` and `--yes`. */
export function withSending(command: Command): Command {
  return command
    .option(
      "--reason <text>",
      "the reason, stored with the change; requested on a terminal, mandatory with policies.require_reason",
    )
    .option("--dry-run", "show the change and stop")
    .option("--yes", "do not ask for confirmation");
}
