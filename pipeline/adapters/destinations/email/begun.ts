import type { Ledger, Span } from "../../../work/targets/ledger.ts";
import type { Mailed } from "./send.ts";

// The rows of the message that is being sent, first and last; `no` once it is known what became of it.
const fact = "begun";
const ended = "no";

/**
 * Sends a message with these rows and records what became of it. That it begins is on the disk before: where the process
 * ends meanwhile, nobody is told.
 */
export async function sendNoted(
  ledger: Ledger,
  rows: Span,
  send: () => Promise<Mailed>,
): Promise<Mailed> {
  await ledger.setFact(fact, rows.join("-"), true);
  const mailed = await send().catch(async (error: unknown) => {
    // What is thrown was met before anything left.
    await ledger.setFact(fact, ended);
    throw error;
  });
  if (mailed.kind === "sent") await ledger.record([rows], "accepted");
  else if (mailed.kind !== "stop") await ledger.record([rows], mailed.kind, mailed.why);
  await ledger.setFact(fact, ended);
  return mailed;
}

/** Counts the rows of a message as perhaps arrived where the process that was sending it ended first. */
export async function recordBrokenOff(ledger: Ledger): Promise<void> {
  const begun = ledger.fact(fact) ?? ended;
  if (begun === ended) return;
  const [first = 1, last = 0] = begun.split("-").map(Number);
  // It may have ended between what it recorded of the message and the note that all is told.
  if (ledger.stateOf(first) !== "accepted")
    await ledger.record(
      [[first, last]],
      "uncertain",
      "an earlier attempt began to send and got no answer",
    );
  await ledger.setFact(fact, ended);
}
