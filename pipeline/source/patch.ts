import { Agent, request, type Dispatcher } from "undici";
import { AuditlakeError } from "../errors.ts";
import { isUnsent, PassingFault, settleFault } from "../http/faults.ts";
import { MissingError, refusedKey } from "./faults.ts";

/**
 * What became of a request that is sent once: accepted, or it is not known whether the service acted on it,
 * and `why`.
 */
export type Sent = { readonly accepted: true } | { readonly accepted: false; readonly why: string };

const maxHeaderBytes = 65_536;
const maxAnswerBytes = 1024 * 1024;

/**
 * Sends one PATCH with a JSON body. It is never repeated and no redirect is followed. Throws AuditlakeError
 * where the service did nothing for certain: it was not reached, refused the key (exit code 4), or knows no
 * such thing (MissingError).
 */
export async function sendOnce(
  url: URL,
  json: string,
  headers: Readonly<Record<string, string>>,
  timeoutMs: number,
): Promise<Sent> {
  // A connection of its own: one that stood idle might be closed at this very moment. Ctrl-C does not cut it
  // off either, since then nobody would know what came of it.
  const agent = new Agent({ connect: { timeout: 10_000 }, maxHeaderSize: maxHeaderBytes });
  try {
    const response = await request(url, {
      method: "PATCH",
      dispatcher: agent,
      signal: AbortSignal.timeout(timeoutMs),
      headers: { ...headers, "content-type": "application/json" },
      body: json,
    });
    await drain(response.body);
    return meaningOf(response.statusCode, url);
  } catch (error) {
    return lost(error, url, timeoutMs);
  } finally {
    await agent.destroy();
  }
}

// The body of the answer is not shown (seed 000, Endpoints, rule 3), so the status alone counts.
async function drain(body: Dispatcher.ResponseData["body"]): Promise<void> {
  let bytes = 0;
  try {
    for await (const part of body) if ((bytes += (part as Buffer).length) > maxAnswerBytes) break;
  } catch {
    // The status is there already.
  }
}

function meaningOf(status: number, { pathname }: URL): Sent {
  const what = `the service answered ${status} to PATCH ${pathname}`;
  const refused = refusedKey(status, what);
  if (refused !== undefined) throw refused;
  if (status === 404) throw new MissingError(`${what}: there is no such policy`);
  if (status >= 200 && status < 300) return { accepted: true };
  const isRedirect = status >= 300 && status < 400;
  return { accepted: false, why: isRedirect ? `${what}, a redirect; none is followed` : what };
}

function lost(error: unknown, url: URL, timeoutMs: number): Sent {
  if (error instanceof AuditlakeError) throw error;
  const fault = settleFault(error, timeoutMs, new AbortController().signal);
  const isTold = fault instanceof PassingFault || fault instanceof AuditlakeError;
  const why = isTold ? fault.message : `unforeseen fault ${fault.name}`;
  if (isUnsent(error))
    throw new AuditlakeError(`PATCH ${url.origin}${url.pathname} was not sent: ${why}`);
  return { accepted: false, why };
}
