import { jsonOf } from "../../../base/rows/json-text.ts";
import {
  messageAccepted,
  messagingFault,
} from "../../../../schemas/connectors/messaging-answers.ts";
import { exitCode, type ExitCode } from "../../../base/errors.ts";
import type { Exchange } from "../../../base/http/exchange.ts";
import { leavesOpen } from "../../../base/http/faults.ts";
import { outcomeText } from "../../../base/http/transport.ts";

/** What one attempt to send a message came to. */
export type Verdict =
  | { readonly kind: "accepted" }
  /** Turned away for now, nothing was sent. */
  | { readonly kind: "wait"; readonly why: string; readonly afterMs: number | undefined }
  /** This recipient gets no message; others may. */
  | { readonly kind: "refused"; readonly why: string }
  /** Nobody gets a message before a person mends something. */
  | { readonly kind: "stop"; readonly why: string; readonly code: ExitCode }
  /** Nobody knows whether it was sent. */
  | { readonly kind: "uncertain"; readonly why: string };

// Codes of the service's public reference. Too much at once, or out of service for a moment.
const passing = new Set([2, 4, 80007, 130429, 131016, 131048, 131056, 131057]);

// The key is not known, expired, or has not the right.
const key = new Set([0, 3, 10, 190]);

// The sender, the account or the template will not do, whoever the recipient is.
const sender = [33, 368, 130497, 131005, 131008, 131031, 131042, 131045, 133010];
const template = [132000, 132001, 132007, 132015, 132016];
const general = new Set([...sender, ...template]);

/** What became of a send, by the code of the answer; without one by its status. */
export function verdictOf(found: Exchange): Verdict {
  if (found.outcome === "unsent") return { kind: "stop", why: found.why, code: exitCode.failed };
  if (found.outcome === "lost") return { kind: "uncertain", why: found.why };
  const { status, text, retryAfterMs } = found.answer;
  const content = jsonOf(text);
  const code = messagingFault.safeParse(content).data?.error.code;
  if (code !== undefined) return byCode(code, `answered ${status} with code ${code}`, retryAfterMs);
  if (messageAccepted.safeParse(content).success && status < 300) return { kind: "accepted" };
  if (status === 429) return { kind: "wait", why: outcomeText(found), afterMs: retryAfterMs };
  if (status === 401 || status === 403)
    return { kind: "stop", why: outcomeText(found), code: exitCode.refused };
  if (status >= 300 && !leavesOpen(status))
    return { kind: "stop", why: outcomeText(found), code: exitCode.failed };
  return {
    kind: "uncertain",
    why: `${outcomeText(found)} without saying what became of the message`,
  };
}

function byCode(code: number, why: string, afterMs: number | undefined): Verdict {
  if (passing.has(code)) return { kind: "wait", why, afterMs };
  if (key.has(code) || (code >= 200 && code <= 299))
    return { kind: "stop", why, code: exitCode.refused };
  if (general.has(code)) return { kind: "stop", why, code: exitCode.failed };
  return { kind: "refused", why };
}
