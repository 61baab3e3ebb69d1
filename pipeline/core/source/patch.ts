import { AuditlakeError } from "../../base/errors.ts";
import type { HttpAnswer } from "../../base/http/exchange.ts";
import { outcomeText, type Sent } from "../../base/http/transport.ts";
import { asksForWait } from "../../base/http/waiting.ts";

/** What a service refuses that says that it did not act on a PATCH: the set, the key, or that there is such a policy. */
export type Refusal = "set" | "key" | "policy";

/**
 * What became of a PATCH: it was accepted, or nobody knows whether the service acted on it, and `why`. `refused` where
 * the service says that it did not; that is its word alone.
 */
export type Patched =
  | { readonly accepted: true }
  | { readonly accepted: false; readonly why: string; readonly refused?: Refusal };

// The request came too late, too early or too often, and says nothing of its body.
const busy: readonly number[] = [408, 425, 429];

/** What the outcome of a PATCH means that was sent once. Throws AuditlakeError where the service was not reached. */
export function patchedBy(sent: Sent, { origin, pathname }: URL): Patched {
  if (sent.outcome === "answered") return meaningOf(sent.answer, pathname);
  if (sent.outcome === "unsent")
    throw new AuditlakeError(`PATCH ${origin}${pathname} was not sent: ${sent.why}`);
  return { accepted: false, why: outcomeText(sent) };
}

function meaningOf(answer: HttpAnswer, pathname: string): Patched {
  const { status } = answer;
  const what = `the service answered ${status} to PATCH ${pathname}`;
  if (status >= 200 && status < 300) return { accepted: true };
  if (status >= 400 && status < 500 && !busy.includes(status) && !asksForWait(answer))
    return { accepted: false, why: what, refused: refusalOf(status) };
  const isRedirect = status >= 300 && status < 400;
  return { accepted: false, why: isRedirect ? `${what}, a redirect; none is followed` : what };
}

function refusalOf(status: number): Refusal {
  if (status === 401 || status === 403) return "key";
  return status === 404 ? "policy" : "set";
}
