import { warning } from "../../base/notice/notice.ts";
import { type Command } from "commander";
import { parseDuration } from "../../../schemas/duration.ts";
import { UsageError } from "../../base/errors.ts";
import { escapeControls } from "../../base/printable.ts";
import { renderRows } from "../../answers/report/formats.ts";
import { newStreamSink, newTextResult } from "../../answers/report/result.ts";
import { replaceFile } from "../../answers/report/write.ts";
import { buildProposedSet, proposeFor, type Proposal } from "../../answers/access/proposal.ts";
import { readSettings } from "../../base/home/settings.ts";
import { countTerminalColumns, type World } from "../../base/world.ts";
import { formatCount } from "../../base/terminal/amounts.ts";
import { plainPrinter, type Line } from "../../base/notice/printer.ts";

type Flags = { readonly unused: string; readonly out?: string; readonly format: "table" | "csv" };

const notes = `
The proposal is the smallest set that covers the recorded activity of the members within
that time; --out writes it for set --file. The output shows who would lose what, the last
use, and whether the user has the right in another way. The whole log is replayed against
the proposal: how many uses it might have denied, and whose. If the log leaves open which
right or database a use needed, every right that it may have needed is retained
(schemas/uses.json maps events to rights).

Examples:
  auditlake policy propose Analysts --unused 90d
  auditlake policy propose 1234 --unused 30d --out policy-1234.json`;

/** Registers `policy propose`. */
export function addPropose(verb: Command, world: World): void {
  verb
    .command("propose")
    .description("propose the smallest set for the recorded activity of the members")
    .argument("<policy>", "id, name or previous name of the policy")
    .option("--unused <duration>", "remove rights without a use in this time", "90d")
    .option("--out <file>", "write the proposed permission set to this file")
    .option("--format <format>", "output format: table or csv", "table")
    .addHelpText("after", notes)
    .action((name: string, flags: Flags, command: Command) => run(name, flags, command, world));
}

async function run(name: string, flags: Flags, command: Command, world: World): Promise<void> {
  const unusedMs = parseDuration(flags.unused);
  if (unusedMs === undefined)
    throw new UsageError(
      `--unused ${JSON.stringify(flags.unused)}: expected a duration such as 90d`,
    );
  if (!["table", "csv"].includes(flags.format))
    throw new UsageError(`--format ${JSON.stringify(flags.format)}: expected table or csv`);
  const settings = readSettings(command.optsWithGlobals(), world);
  const print = plainPrinter(world, settings.flags);
  const onMs = world.now();
  const sinceMs = onMs - unusedMs;
  const { id, proposal } = await proposeFor(name, { onMs, sinceMs }, settings);
  const [on, since] = [onMs, sinceMs].map((ms) => new Date(ms).toISOString());
  print(`on ${on}, uses since ${since}`);
  for (const line of formatSummary(id, proposal)) print(line);
  await renderRows(flags.format, listRows(proposal), newStreamSink(world.stdout, world.signal), {
    columns: countTerminalColumns(world),
  });
  if (flags.out === undefined) return;
  await replaceFile(flags.out, (draft) =>
    draft.sink(`${JSON.stringify(buildProposedSet(proposal), null, 2)}\n`),
  );
  print(`the proposed set is in ${escapeControls(flags.out)}; policy set ${id} --file sends it`);
}

function formatSummary(id: string, proposal: Proposal): Line[] {
  const { held, proposed, members, uses, denied, unread } = proposal;
  const open = uses.filter(
    ({ databaseId, operations }) => databaseId === null || operations.length > 1,
  );
  const count = (some: Proposal["uses"]): number => some.reduce((sum, use) => sum + use.uses, 0);
  const people = [...new Set(denied.map(({ person }) => person))];
  const named = people.slice(0, 5).map(escapeControls).join(", ");
  const whose = people.length === 0 ? "" : `, of ${named}${people.length > 5 ? " and others" : ""}`;
  return [
    `policy ${id}: ${formatCount(members, "member")}, ${formatCount(held.length, "right")} on databases, ${proposed.length} proposed`,
    `replay: ${count(denied)} of ${count(uses)} recorded uses might have been denied${whose}`,
    `${count(open)} uses do not show which right or database they needed; all possible ones are retained`,
    ...unread.map((why) => warning("uses_unread", { why })),
  ];
}

function listRows({ losses, none }: Proposal): ReturnType<typeof newTextResult> {
  return newTextResult(
    ["person", "loses", "database_id", "last_used_at", "has_otherwise"],
    losses.map(({ person, right, lastUsedAt, hasOtherwise }) => [
      person,
      right.operation,
      right.id,
      lastUsedAt ?? none,
      hasOtherwise ? "yes" : "no",
    ]),
  );
}
