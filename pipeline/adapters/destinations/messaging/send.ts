import { warning } from "../../../base/notice/notice.ts";
import type { Messaging } from "../../../../schemas/connectors/messaging.ts";
import { AuditlakeError, exitCode, getMessage as faultText } from "../../../base/errors.ts";
import type { Exchange } from "../../../base/http/exchange.ts";
import { pauseFor } from "../../../base/http/transport.ts";
import type { DeliveryContext, WithName } from "../../../outgoing/targets/destination.ts";
import { DeliveryError, runInParallel } from "../../../outgoing/targets/error.ts";
import { toSpans } from "../../../outgoing/targets/ledger.ts";
import { buildMessage, type Verdict, judgeAnswer } from "./session.ts";
import { type Recipient, listRows, formatRows } from "./recipients.ts";

/** Number of messages that were accepted, refused, and sent with an unknown outcome. */
export type Tally = {
  readonly accepted: number;
  readonly refused: number;
  readonly uncertain: number;
};

export type Send = (message: string) => Promise<Exchange>;

type FinalVerdict = Exclude<Verdict, { kind: "wait" }>;
type Stop = Extract<Verdict, { kind: "stop" }>;

const printEach = 100;
const maxWaits = 8;
const firstWaitMs = 1000;
const longestWaitMs = 60_000;
// What Retry-After may ask for.
const longestRetryAfterMs = 900_000;
// A service without answers is left alone, so that few messages stay uncertain.
const maxUncertainInRow = 3;
const interrupted: Stop = { kind: "stop", why: "interrupted", code: exitCode.interrupted };

export type Sending = {
  readonly target: WithName<Messaging>;
  readonly send: Send;
  readonly context: DeliveryContext;
};

/**
 * Sends one message after the other and adds to the tally. Throws AuditlakeError where it must stop before anything
 * went out in this delivery, and DeliveryError where something has.
 */
export async function sendAll(
  todo: readonly Recipient[],
  before: Tally,
  sending: Sending,
): Promise<Tally> {
  const { target, context } = sending;
  const tally = { ...before };
  let uncertainInRow = 0;
  let done = 0;
  let stop: Stop | undefined;
  const sendNext = async (recipient: Recipient): Promise<void> => {
    // Side by side, one may be taken just as another one has stopped all.
    if (stop !== undefined) return;
    const verdict = await sendOne(recipient, sending);
    if (verdict.kind === "stop") return void (stop ??= verdict);
    done += 1;
    tally[verdict.kind] += 1;
    printVerdict(verdict, recipient, target.name, context);
    uncertainInRow = verdict.kind === "uncertain" ? uncertainInRow + 1 : 0;
    const left = todo.length - done;
    if (left > 0 && done % printEach === 0)
      context.print(`${done} of ${todo.length} messages sent to ${target.name}`);
    if (uncertainInRow === maxUncertainInRow && left > 0) {
      const why = `no answer to ${uncertainInRow} messages in a row`;
      stop ??= { kind: "stop", why, code: exitCode.failed };
    }
  };
  await runInParallel(todo.values(), target.requests?.parallel ?? 1, sendNext);
  if (stop !== undefined) throw describeStop(target.name, tally, todo.length - done, stop);
  return tally;
}

async function sendOne(
  recipient: Recipient,
  { target, send, context }: Sending,
): Promise<FinalVerdict> {
  const { world, ledger } = context;
  if (world.signal.aborted) return interrupted;
  const rows = toSpans(listRows(recipient));
  const unrecorded = await recordFault(ledger.begin(rows, true));
  if (unrecorded !== undefined) return { kind: "stop", why: unrecorded, code: exitCode.failed };
  const verdict = await sendUntilAnswered(buildMessage(target, recipient), send, context);
  const why = verdict.kind === "accepted" ? undefined : `the service ${verdict.why}`;
  // The outcome reaches the disk with the next send at the latest; without it the send is uncertain.
  const fault = await recordFault(
    verdict.kind === "stop" ? ledger.cancel(rows) : ledger.record(rows, verdict.kind, why),
  );
  return fault === undefined || verdict.kind === "stop"
    ? verdict
    : { kind: "uncertain", why: fault };
}

async function recordFault(recorded: Promise<void>): Promise<string | undefined> {
  try {
    await recorded;
    return undefined;
  } catch (error) {
    return `the record of sends cannot be written (${faultText(error)})`;
  }
}

// A message that is rejected for now is sent again after a while; one whose answer is lost never is.
async function sendUntilAnswered(
  message: string,
  send: Send,
  { world, print }: DeliveryContext,
): Promise<FinalVerdict> {
  try {
    for (let waits = 0; ; waits++) {
      const verdict = judgeAnswer(await send(message));
      if (verdict.kind !== "wait") return verdict;
      const waitMs = verdict.afterMs ?? Math.min(longestWaitMs, firstWaitMs * 2 ** waits);
      const seconds = Math.ceil(waitMs / 1000);
      const isLong = waitMs > longestRetryAfterMs;
      const why = `${verdict.why}${isLong ? `, retry after ${seconds} s` : ` ${waits + 1} times`}`;
      if (isLong || waits === maxWaits) return { kind: "stop", why, code: exitCode.failed };
      print(`the service ${verdict.why}; waiting ${seconds} s`);
      await pauseFor(waitMs, world);
    }
  } catch (error) {
    // Only a wait is interrupted, and then nothing is on its way.
    if (error instanceof AuditlakeError && error.exitCode === exitCode.interrupted)
      return interrupted;
    throw error;
  }
}

function printVerdict(
  verdict: FinalVerdict,
  recipient: Recipient,
  target: string,
  { print }: DeliveryContext,
): void {
  const who = formatRows([recipient]);
  if (verdict.kind === "refused")
    print(warning("message_refused", { target, who, why: verdict.why }));
  if (verdict.kind === "uncertain")
    print(warning("message_uncertain", { target, who, why: verdict.why }));
}

function describeStop(
  target: string,
  tally: Tally,
  left: number,
  { why, code }: Stop,
): AuditlakeError {
  const { accepted, refused, uncertain } = tally;
  if (accepted + uncertain === 0) {
    const advice = code === exitCode.refused ? "; check access_token" : "";
    return new AuditlakeError(
      `delivery to ${target} failed: ${why}; nothing was sent${advice}`,
      code,
    );
  }
  const progress = { target, accepted, uncertain, missing: refused + left };
  const partial = code === exitCode.interrupted ? code : exitCode.partial;
  return new DeliveryError(progress, why, partial);
}
