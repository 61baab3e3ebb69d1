import { readUserName } from "../../base/home/version.ts";
import { type Command, Option } from "commander";
import { countSuppressed, identifyFindings } from "../../answers/findings/find.ts";
import { AuditlakeError, exitCode, UsageError } from "../../base/errors.ts";
import { requireHome } from "../../base/home/published.ts";
import { readSettings, type Settings } from "../../base/home/settings.ts";
import { escapeControls } from "../../base/printable.ts";
import { formatCount } from "../../base/terminal/amounts.ts";
import { plainPrinter, printer } from "../../base/notice/printer.ts";
import { parseDuration } from "../../../schemas/duration.ts";
import { toTimestamp } from "../../base/time/text.ts";
import { parseMomentMs } from "../../base/time/times.ts";
import type { World } from "../../base/world.ts";
import {
  type Decision,
  keepDecisions,
  type NewDecision,
  verdicts,
} from "../../core/detect/decisions.ts";
import { listConfiguredDetections, refuseUnknown, runDetections } from "../../core/detect/run.ts";
import { withWriter } from "../../core/session/write.ts";
import { writeSuppressions } from "../../answers/findings/list.ts";
import type { OutputFlags } from "../../answers/report/output.ts";
import { withOutput } from "../output-flags.ts";

const longestReason = 1000;
const dayMs = 86_400_000;
const longestSuppressionDays = 366;

/** Registers the commands by which people decide on findings. */
export function registerDecisions(verb: Command, world: World): void {
  registerStates(verb, world);
  registerClose(verb, world);
  registerNote(verb, world);
  registerSuppress(verb, world);
  registerSuppressions(verb, world);
}

function registerStates(verb: Command, world: World): void {
  const does = {
    acknowledge: "mark findings as being looked at",
    reopen: "open findings again that were acknowledged or closed",
  } as const;
  for (const name of ["acknowledge", "reopen"] as const)
    verb
      .command(name)
      .description(does[name])
      .argument("<id...>", "ids of findings, or their first digits")
      .option("--reason <text>", "the reason, stored with the decision")
      .addHelpText("after", `\nExample:\n  auditlake findings ${name} 67e7e0`)
      .action((ids: string[], flags: { readonly reason?: string }, command: Command) =>
        decideOn(ids, { decision: name, reason: readReason(flags.reason) }, command, world),
      );
}

type CloseFlags = { readonly as: (typeof verdicts)[number]; readonly reason?: string };

function registerClose(verb: Command, world: World): void {
  verb
    .command("close")
    .description("close findings with a verdict")
    .argument("<id...>", "ids of findings, or their first digits")
    .addOption(new Option("--as <verdict>", "verdict").choices(verdicts).makeOptionMandatory())
    .requiredOption("--reason <text>", "the reason, stored with the decision")
    .addHelpText(
      "after",
      "\nA later hit of the same key opens a new finding.\n\nExample:\n  auditlake findings close 67e7e0 --as benign --reason 'load test'",
    )
    .action((ids: string[], flags: CloseFlags, command: Command) =>
      decideOn(
        ids,
        { decision: "close", closed_as: flags.as, reason: readReason(flags.reason) },
        command,
        world,
      ),
    );
}

function registerNote(verb: Command, world: World): void {
  verb
    .command("note")
    .description("add a note to a finding")
    .argument("<id>", "id of the finding, or its first digits")
    .argument("<text>", "the note")
    .addHelpText("after", "\nExample:\n  auditlake findings note 67e7e0 'asked the data team'")
    .action((id: string, text: string, _flags: object, command: Command) =>
      decideOn([id], { decision: "note", reason: readReason(text) }, command, world),
    );
}

async function decideOn(
  ids: readonly string[],
  decision: Omit<NewDecision, "detection">,
  command: Command,
  world: World,
): Promise<void> {
  const settings = readSettings(command.optsWithGlobals(), world);
  const decisions = await identifyFindings(ids, settings);
  await applyDecisions(
    decisions.map((finding) => ({ ...finding, ...decision })),
    settings,
    world,
  );
  plainPrinter(
    world,
    settings.flags,
  )(`${decision.decision}: ${formatCount(decisions.length, "finding")}`);
}

// What is decided is kept first: a run that holds the lock takes it up at its end.
async function applyDecisions(
  decisions: readonly NewDecision[],
  settings: Settings,
  world: World,
): Promise<readonly Decision[]> {
  const kept = await keepDecisions(settings.home, decisions, readUserName(), world);
  try {
    await withWriter(
      settings,
      world,
      "findings",
      ({ database: { connection } }) => runDetections(connection, settings, world),
      "grown",
    );
  } catch (error) {
    if (!(error instanceof AuditlakeError) || error.exitCode !== exitCode.locked) throw error;
    printer(world)("recorded; findings show it when the run that holds the lock has ended");
  }
  return kept;
}

function readReason(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (text.trim() === "" || text.length > longestReason)
    throw new UsageError(`expected a reason of 1 to ${longestReason} characters`);
  return escapeControls(text);
}

type SuppressFlags = {
  readonly where: readonly string[];
  readonly until: string;
  readonly reason: string;
};

function registerSuppress(verb: Command, world: World): void {
  verb
    .command("suppress")
    .description("keep hits of a detection from raising findings until a time")
    .argument("<detection>", "name of the detection")
    .requiredOption("--where <column=value...>", "value of a key column; all of them have to match")
    .requiredOption(
      "--until <time>",
      `end, in event time; at most ${longestSuppressionDays} days ahead`,
    )
    .requiredOption("--reason <text>", "the reason, stored with the suppression")
    .addHelpText(
      "after",
      "\nIt also covers earlier hits. Suppressed findings are stored and counted; see findings --state suppressed.\n\nExample:\n  auditlake findings suppress repeated_denials --where user_id=17 --until 2027-01-31 --reason 'migration'",
    )
    .action(async (name: string, flags: SuppressFlags, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      requireHome(settings.home);
      const conditions = readConditions(name, flags.where, settings, world);
      const untilMs = readUntil(flags.until, world);
      const suppressed_until = toTimestamp(untilMs);
      const [kept] = await applyDecisions(
        [
          {
            decision: "suppress",
            detection: name,
            conditions,
            suppressed_until,
            reason: readReason(flags.reason),
          },
        ],
        settings,
        world,
      );
      const covered = await countSuppressed(kept!.decision_id, settings);
      plainPrinter(
        world,
        settings.flags,
      )(`suppressed until ${suppressed_until}; covers ${formatCount(covered, "finding")} so far`);
    });
}

function readConditions(
  name: string,
  pairs: readonly string[],
  settings: Settings,
  world: World,
): Record<string, string> {
  const detections = listConfiguredDetections(settings, world);
  refuseUnknown([name], detections);
  const { key } = detections.find((each) => each.name === name)!.form;
  const conditions = new Map<string, string>();
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    const column = pair.slice(0, at);
    if (at < 1 || !key.includes(column) || at === pair.length - 1)
      throw new UsageError(
        `--where ${JSON.stringify(pair)}: expected COLUMN=VALUE with a key column of ${name}: ${key.join(", ")}`,
      );
    if (conditions.has(column)) throw new UsageError(`--where: ${column} is given twice`);
    conditions.set(column, pair.slice(at + 1));
  }
  return Object.fromEntries(conditions);
}

function readUntil(text: string, world: World): number {
  const nowMs = world.now();
  // A duration is one ahead here.
  const aheadMs = parseDuration(text);
  const untilMs = aheadMs === undefined ? parseMomentMs(text, "UTC", nowMs) : nowMs + aheadMs;
  if (untilMs <= nowMs || untilMs > nowMs + longestSuppressionDays * dayMs)
    throw new UsageError(
      `--until ${text}: expected a time in the future, such as 30d or 2027-01-31, at most ${longestSuppressionDays} days ahead`,
    );
  return untilMs;
}

function registerSuppressions(verb: Command, world: World): void {
  const list = verb
    .command("suppressions")
    .description("list suppressions, with the findings that each covers");
  withOutput(list)
    .addHelpText("after", "\nExample:\n  auditlake findings suppressions")
    .action((flags: OutputFlags, command: Command) =>
      writeSuppressions(flags, readSettings(command.optsWithGlobals(), world), world),
    );
}
