import type { DuckDBConnection } from "@duckdb/node-api";
import pLimit from "p-limit";
import { readQueueDecisions } from "../../../answers/findings/queue.ts";
import { findFinding, nameFinding } from "../../../answers/findings/find.ts";
import { AuditlakeError, exitCode, UsageError } from "../../../base/errors.ts";
import { decideUnderLock } from "../../../core/decide/apply.ts";
import { checkReason } from "../../../core/decide/checks.ts";
import { type NewDecision, verdicts } from "../../../core/detect/decisions.ts";
import { formatTimeText } from "../../../base/html/formats.ts";
import type { Site } from "../site.ts";
import { requireResponder } from "../visitor.ts";

/** Another person decided on a finding after the page with the form had been sent. */
export class ConflictError extends AuditlakeError {
  override name = "ConflictError";
}

/** A form as it arrived; a name may occur several times. */
export type Form = {
  readonly get: (name: string) => string | undefined;
  readonly all: (name: string) => readonly string[];
};

// A server decides one after the other: the lock of a home is not to be waited for inside of one process.
const oneAtATime = pLimit(1);

/** Lets `choose` look at the current findings under the lock, and stores and publishes what it returns. */
export async function decide(
  site: Site,
  choose: (connection: DuckDBConnection) => Promise<readonly NewDecision[]>,
): Promise<void> {
  const { user } = requireResponder();
  const { settings, world } = site;
  const quiet = { ...settings, flags: { ...settings.flags, quiet: true as const } };
  try {
    await oneAtATime(() => decideUnderLock(choose, user, quiet, world));
  } catch (error) {
    if (!(error instanceof AuditlakeError) || error.exitCode !== exitCode.locked) throw error;
    throw new AuditlakeError(
      "A run is in progress; try again in a moment. Nothing was stored.",
      exitCode.locked,
      { cause: error },
    );
  }
}

/** Decides on the findings of a form. Throws UsageError for a bad form, ConflictError where others decided meanwhile. */
export async function decideOnFindings(
  site: Site,
  ids: readonly string[],
  form: Form,
): Promise<void> {
  const decision = readDecision(form);
  if (ids.length === 0) throw new UsageError("no finding is selected");
  const seen = form.get("seen");
  site.asked.add("decision", `${decision.decision} ${ids.join(" ")}`);
  await decide(site, async (connection) => {
    const found = [];
    for (const id of ids) found.push(await findFinding(connection, id));
    if (seen !== undefined && decision.decision !== "note")
      await refuseOvertaken(
        connection,
        found.map(({ findingId }) => findingId),
        seen,
      );
    return found.map((finding) => ({ ...nameFinding(finding), ...decision }));
  });
}

function readDecision(form: Form): Omit<NewDecision, "detection"> {
  const name = form.get("decision");
  const reason = form.get("reason") ?? "";
  if (name === "acknowledge") return { decision: name };
  if (name === "reopen")
    return { decision: name, ...(reason === "" ? {} : { reason: checkReason(reason) }) };
  if (name === "note") return { decision: name, reason: checkReason(reason) };
  if (name !== "close")
    throw new UsageError("expected a decision: acknowledge, reopen, close or note");
  const verdict = verdicts.find((each) => each === form.get("as"));
  if (verdict === undefined) throw new UsageError(`expected a verdict of ${verdicts.join(", ")}`);
  return { decision: name, closed_as: verdict, reason: checkReason(reason) };
}

const did: Readonly<Record<string, string>> = {
  acknowledge: "acknowledged",
  reopen: "reopened",
  close: "closed",
};

async function refuseOvertaken(
  connection: DuckDBConnection,
  ids: readonly string[],
  seen: string,
): Promise<void> {
  const decisions = await readQueueDecisions(connection, ids, seen);
  if (decisions.length === 0) return;
  const [first, ...others] = decisions;
  const { decidedBy, decision, decidedAt, findingId } = first!;
  const time = formatTimeText(decidedAt, { zone: "UTC", seconds: true });
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  throw new ConflictError(
    `${decidedBy} ${did[decision] ?? decision} ${findingId.slice(0, 6)}${more} at ${time} UTC, after this page was loaded. Nothing was stored; check and decide again.`,
  );
}
