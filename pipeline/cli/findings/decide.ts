import { readUserName } from "../../base/home/version.ts";
import { type Command, Option } from "commander";
import { countSuppressed, identifyFindings } from "../../answers/findings/find.ts";
import { UsageError } from "../../base/errors.ts";
import { requireHome } from "../../base/home/published.ts";
import { readSettings, type Settings } from "../../base/home/settings.ts";
import { formatCount } from "../../base/terminal/amounts.ts";
import { plainPrinter, printer } from "../../base/notice/printer.ts";
import { toTimestamp } from "../../base/time/text.ts";
import type { World } from "../../base/world.ts";
import { applyDecisions } from "../../core/decide/apply.ts";
import {
  checkConditions,
  checkReason,
  longestSuppressionDays,
  parseSuppressionEnd,
} from "../../core/decide/checks.ts";
import { type Decision, type NewDecision, verdicts } from "../../core/detect/decisions.ts";
import { listConfiguredDetections, refuseUnknown } from "../../core/detect/run.ts";
import { writeSuppressions } from "../../answers/findings/list.ts";
import { findSuppression } from "../../answers/findings/suppressions.ts";
import type { OutputFlags } from "../../answers/report/output.ts";
import { withOutput } from "../output-flags.ts";

export function registerDecisions(verb: Command, world: World): void {
  registerStates(verb, world);
  registerClose(verb, world);
  registerNote(verb, world);
  registerSuppress(verb, world);
  registerUnsuppress(verb, world);
  registerSuppressions(verb, world);
}

function registerStates(verb: Command, world: World): void {
  const does = {
    acknowledge: "mark findings as under investigation",
    reopen: "reopen acknowledged or closed findings",
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
  await storeDecisions(
    decisions.map((finding) => ({ ...finding, ...decision })),
    settings,
    world,
  );
  plainPrinter(
    world,
    settings.flags,
  )(`${decision.decision}: ${formatCount(decisions.length, "finding")}`);
}

async function storeDecisions(
  decisions: readonly NewDecision[],
  settings: Settings,
  world: World,
): Promise<readonly Decision[]> {
  const { stored, isApplied } = await applyDecisions(decisions, readUserName(), settings, world);
  if (!isApplied) printer(world)("recorded; findings show it when the active run has ended");
  return stored;
}

function readReason(text: string | undefined): string | null {
  return text === undefined ? null : checkReason(text);
}

type SuppressFlags = {
  readonly where: readonly string[];
  readonly until: string;
  readonly reason: string;
};

function registerSuppress(verb: Command, world: World): void {
  verb
    .command("suppress")
    .description("stop hits of a detection from raising findings until a time")
    .argument("<detection>", "name of the detection")
    .requiredOption("--where <column=value...>", "value of a key column; all must match")
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
      const untilMs = nameFlag("--until", () => parseSuppressionEnd(flags.until, world.now()));
      const suppressed_until = toTimestamp(untilMs);
      const [kept] = await storeDecisions(
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
  const split = (pair: string): [string, string] => {
    const at = pair.indexOf("=");
    return at < 0 ? [pair, ""] : [pair.slice(0, at), pair.slice(at + 1)];
  };
  return nameFlag("--where", () => checkConditions(name, key, pairs.map(split)));
}

// Puts the flag before the message of what is wrong with its value.
function nameFlag<T>(flag: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${flag} ${error.message}`);
  }
}

function registerUnsuppress(verb: Command, world: World): void {
  verb
    .command("unsuppress")
    .description("lift a suppression and reopen the findings that it hides")
    .argument("<id>", "id of the suppression, as findings suppressions lists it")
    .requiredOption("--reason <text>", "the reason, stored with the suppression")
    .addHelpText(
      "after",
      "\nExample:\n  auditlake findings unsuppress 20260304T000000Z-1f00c0de --reason 'wrong user'",
    )
    .action(async (id: string, flags: { readonly reason: string }, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      const { detection, findings } = await findSuppression(id, settings, world.now());
      const reason = checkReason(flags.reason);
      await storeDecisions(
        [{ decision: "unsuppress", detection, finding_id: id, reason }],
        settings,
        world,
      );
      plainPrinter(world, settings.flags)(`lifted; it covered ${formatCount(findings, "finding")}`);
    });
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
