import { AuditlakeError } from "../errors.ts";
import { outcomeText, type Sent } from "../http/transport.ts";
import { MissingError, refusedKey } from "./faults.ts";

/**
 * What became of a PATCH: it was accepted, or nobody knows whether the service acted on it, and `why`. `isRefused` where
 * the service says that it did not.
 */
export type Patched =
  | { readonly accepted: true }
  | { readonly accepted: false; readonly why: string; readonly isRefused?: true };

// The request came too late, too early or too often, and says nothing of its body.
const busy: readonly number[] = [408, 425, 429];

/**
 * What the outcome of a PATCH means that was sent once. Throws AuditlakeError where the service surely did nothing: it
 * was not reached, refused the key (exit code 4), or knows no such thing (MissingError).
 */
export function patchedBy(sent: Sent, { origin, pathname }: URL): Patched {
  if (sent.outcome === "answered") return meaningOf(sent.answer.status, pathname);
  if (sent.outcome === "unsent")
    throw new AuditlakeError(`PATCH ${origin}${pathname} was not sent: ${sent.why}`);
  return { accepted: false, why: outcomeText(sent) };
}

function meaningOf(status: number, pathname: string): Patched {
  const what = `the service answered ${status} to PATCH ${pathname}`;
  const refused = refusedKey(status, what);
  if (refused !== undefined) throw refused;
  if (status === 404) throw new MissingError(`${what}: there is no such policy`);
  if (status >= 200 && status < 300) return { accepted: true };
  if (status >= 400 && status < 500 && !busy.includes(status))
    return { accepted: false, why: what, isRefused: true };
  const isRedirect = status >= 300 && status < 400;
  return { accepted: false, why: isRedirect ? `${what}, a redirect; none is followed` : what };
}
