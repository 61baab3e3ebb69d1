import type { Command } from "commander";
import { exitCode, type ExitCode, UsageError } from "../../../base/errors.ts";
import { newTextResult } from "../../../answers/report/result.ts";
import { formatRight, formatWay } from "../../../answers/access/review/item.ts";
import {
  readKeptDecisions,
  findReview,
  listReviews,
  type Review,
} from "../../../answers/access/review/stored-decisions.ts";
import { isDone, type Line, listLines } from "../../../answers/access/review/item-status.ts";
import { readSettings, type Settings } from "../../../base/home/settings.ts";
import type { World } from "../../../base/world.ts";
import { chooseRowFormat, writeRows, type OutputFlags } from "../../../answers/report/output.ts";
import { formatCount } from "../../../base/terminal/amounts.ts";
import { plainPrinter } from "../../../base/notice/printer.ts";
import { withOutput } from "../../output-flags.ts";

type Flags = OutputFlags & { readonly all?: true; readonly strict?: true };

const notes = `
state is "sent" for rights removed by auditlake, "done by hand" for rights removed
otherwise, and "open" for existing rights. proven_by is the event of the removal; it is
empty until the log of that time is ingested.

Examples:
  auditlake access review status
  auditlake access review status --strict --format csv --out review.csv`;

/** Registers `access review status`. */
export function addStatus(verb: Command, world: World): void {
  withOutput(
    verb
      .command("status")
      .description(
        "show the status of a review: sent, done by hand or open, with the event that proves it",
      )
      .argument("[review]", "id of the review (default: the newest)"),
  )
    .option("--all", "include kept and undecided rights")
    .option("--strict", `end with exit code ${exitCode.findings} if a right is open`)
    .addHelpText("after", notes)
    .action((id: string | undefined, flags: Flags, command: Command) =>
      run(id, flags, command, world),
    );
}

async function run(
  id: string | undefined,
  flags: Flags,
  command: Command,
  world: World,
): Promise<ExitCode> {
  const settings = readSettings(command.optsWithGlobals(), world);
  const format = chooseRowFormat(flags);
  const review = chooseReview(id, settings);
  const decisions = readKeptDecisions(settings.home, review.review_id);
  const lines = await listLines(review, decisions, settings, world);
  const shown = flags.all ? lines : lines.filter(({ decision }) => decision?.decision === "revoke");
  const print = plainPrinter(world, settings.flags);
  await writeRows(newTextResult(columns, shown.map(toRow)), format, flags, world, print);
  print(`review ${review.review_id} on ${review.on}: ${formatSummary(lines)}`);
  const isOpen = lines.some(({ state }) => !isDone(state));
  return flags.strict && isOpen ? exitCode.findings : exitCode.done;
}

function chooseReview(id: string | undefined, { home }: Settings): Review {
  const ids = listReviews(home);
  const wanted = id ?? ids.at(-1);
  if (wanted === undefined)
    throw new UsageError("no review was exported from this home; see access review export");
  const review = findReview(home, wanted);
  if (review !== undefined) return review;
  const known = ids.slice(-3).join(", ") || "none";
  throw new UsageError(
    `no review ${JSON.stringify(wanted)} in this home; expected a review id (not a folder), or nothing for the newest review; the latest are ${known}`,
  );
}

const columns = [
  "state",
  "person",
  "right",
  "way",
  "proven_by",
  "proven_at",
  "proven_actor",
  "reason",
  "reviewer",
  "date",
  "row",
];

function toRow({ item, decision, state, end }: Line): (string | null)[] {
  return [
    state,
    item.person,
    formatRight(item),
    formatWay(item),
    end?.key ?? null,
    end?.at ?? null,
    end?.by ?? null,
    decision?.reason ?? null,
    decision?.reviewer ?? null,
    decision?.date ?? null,
    item.row,
  ];
}

function formatSummary(lines: readonly Line[]): string {
  const states: readonly Line["state"][] = [
    "kept",
    "sent",
    "sent, not confirmed",
    "done by hand",
    "open",
    "not decided",
  ];
  const count = (state: Line["state"]): number =>
    lines.filter((line) => line.state === state).length;
  const confirmed = lines.filter(({ end }) => end !== undefined).length;
  const parts = states
    .filter((state) => count(state) > 0)
    .map((state) => `${count(state)} ${state}`);
  return `${formatCount(lines.length, "row")}: ${parts.join(", ")}; ${confirmed} confirmed by the log`;
}
