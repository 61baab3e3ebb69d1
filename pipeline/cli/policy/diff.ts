import type { DuckDBConnection } from "@duckdb/node-api";
import { type Command, Option } from "commander";
import { exitCode, type ExitCode, UsageError } from "../../base/errors.ts";
import { compareSets, type Comparison, type Grant } from "../../core/records/permissions.ts";
import { plainPrinter } from "../../base/notice/printer.ts";
import { formatJsonDocument } from "../../base/printable.ts";
import { type RowFormat, rowFormats } from "../../answers/report/formats.ts";
import { newStreamSink } from "../../answers/report/result.ts";
import { findIdAtBoth, findId } from "../../answers/access/find-ids.ts";
import { readCurrentSet } from "../../answers/access/change.ts";
import type { World } from "../../base/world.ts";
import { parseMomentMs } from "../../base/time/times.ts";
import type { MomentFlags, Values } from "../../answers/ask/at-moment.ts";
import { askPublished } from "../published.ts";
import { changeLines, changeText } from "../../answers/access/change-lines.ts";
import { withPolicy } from "../../answers/access/target.ts";
import { readSetFile } from "../../answers/access/wanted-set.ts";
import { toTimestamp } from "../../base/time/text.ts";
import { withTextOptions } from "../output-flags.ts";
import { readSettings } from "../../base/home/settings.ts";

type Flags = Omit<MomentFlags, "format"> & {
  readonly file?: string;
  readonly from?: string;
  readonly to?: string;
  readonly format?: RowFormat | "text";
  readonly strict?: true;
};

const notes = `
With a file, diff reads the policy from the service and shows what setting the file would
add and remove. Otherwise it compares log and snapshots: one policy at two moments, or two
policies at one moment; a date means the end of that day in --timezone. The order of
entries and ids is ignored.

Examples:
  auditlake policy diff 1234 --file policy-1234.json --strict --format json
  auditlake policy diff Analysts --from 2026-01-31 --to 2026-03-31
  auditlake policy diff Analysts Readers --on 2026-03-31`;

export function addDiff(verb: Command, world: World): void {
  withTextOptions(verb.command("diff"))
    .description("compare a policy with a file, with itself at another moment, or with another one")
    .argument("<policy>", "id, name or previous name of the policy")
    .argument("[other]", "id or name of another policy")
    .option("--file <file>", "permission set as JSON")
    .option("--from <time>", "first moment")
    .option("--to <time>", "second moment (default: now)")
    .option("--on <time>", "moment for comparing two policies (default: now)")
    .option("--timezone <zone>", "time zone of dates", "UTC")
    .addOption(
      new Option("--format <format>", "output format; with a file text or json").choices([
        "text",
        ...rowFormats,
      ]),
    )
    .option("--out <file>", "write to this file; - is standard output")
    .option("--strict", `end with exit code ${exitCode.findings} if they differ`)
    .addHelpText("after", notes)
    .action((name: string, other: string | undefined, flags: Flags, command: Command) => {
      const ways = [flags.file, flags.from, other].filter((way) => way !== undefined);
      if (ways.length !== 1)
        throw new UsageError(
          "expected something to compare with: --file, --from with --to, or another policy",
        );
      return flags.file === undefined
        ? diffPast(name, other ?? name, flags, command, world)
        : diffFile(name, flags.file, flags, command, world);
    });
}

async function diffPast(
  name: string,
  other: string,
  { format, ...flags }: Flags,
  command: Command,
  world: World,
): Promise<ExitCode> {
  if (format === "text") throw new UsageError("--format text requires --file; expected table");
  const on = flags.to ?? flags.on ?? "now";
  const fromMs = parseMomentMs(flags.from ?? on, flags.timezone, world.now());
  const onMs = parseMomentMs(on, flags.timezone, world.now());
  if (fromMs > onMs)
    throw new UsageError(
      `--from ${flags.from} is after --to ${on}; expected the earlier moment first`,
    );
  const print = plainPrinter(world, command.optsWithGlobals());
  if (flags.from !== undefined) print(`from ${new Date(fromMs).toISOString()}`);
  const findIds = async (
    connection: DuckDBConnection,
    source: string | undefined,
  ): Promise<Values> => {
    const findIdAtMoment = (text: string): Promise<string> =>
      findIdAtBoth(text, [fromMs, onMs], (ms, isFirst) =>
        findId(connection, "policy", text, source, { onMs: ms, ...(isFirst && { print }) }),
      );
    const id = await findIdAtMoment(name);
    const otherId = other === name ? id : await findIdAtMoment(other);
    return { policy_id: id, other_id: otherId, from: toTimestamp(fromMs) };
  };
  const asked = { ...flags, on, ...(format === undefined ? {} : { format }) };
  const rows = await askPublished("diff", findIds, asked, command, world);
  return rows > 0 && flags.strict ? exitCode.findings : exitCode.done;
}

async function diffFile(
  name: string,
  file: string,
  { format = "text", strict }: Flags,
  command: Command,
  world: World,
): Promise<ExitCode> {
  if (format !== "text" && format !== "json")
    throw new UsageError(`--format ${format} does not work with --file; expected text or json`);
  const wanted = readSetFile(file, true);
  return await withPolicy(
    name,
    readSettings(command.optsWithGlobals(), world),
    world,
    async ({ client, id, settings }) => {
      const comparison = compareSets(await readCurrentSet(client, id), wanted);
      const sink = newStreamSink(world.stdout, world.signal);
      await sink(format === "json" ? formatJson(id, comparison) : changeLines(comparison));
      const print = plainPrinter(world, settings.flags);
      const isSame = comparison.added.length + comparison.removed.length === 0;
      print(`policy ${id}: ${isSame ? "same as the file" : changeText(comparison)}`);
      return !isSame && strict ? exitCode.findings : exitCode.done;
    },
  );
}

function formatJson(id: string, { added, removed, kept }: Comparison): string {
  const content = {
    policy_id: id,
    added: added.map(toRow),
    removed: removed.map(toRow),
    kept: kept.length,
  };
  return formatJsonDocument(content);
}

function toRow(grant: Grant): Readonly<Record<string, string | null>> {
  return {
    resource_kind: grant.kind,
    operation: grant.operation,
    object_id: grant.objectId,
    object_name: grant.objectName,
    details: grant.details,
  };
}
