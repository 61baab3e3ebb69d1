import { errors } from "undici";
import { AuditlakeError, exitCode } from "../errors.ts";
import { PageError } from "../page/error.ts";

/** A fault that passes: worth another try, at the earliest after `afterMs`. */
export class PassingFault extends Error {
  override name = "PassingFault";
  readonly afterMs: number | undefined;
  constructor(message: string, afterMs?: number) {
    super(message);
    this.afterMs = afterMs;
  }
}

/** What an answer with a status other than 200 means (seed 001, Errors): another try, or the end. */
export function refusal(status: number, afterMs: number | undefined, url: URL): Error {
  const what = `the service answered ${status} to GET ${url.pathname}`;
  if (status === 401 || status === 403)
    return new AuditlakeError(
      `${what}: it refused the key; check the key and the rights of its user`,
      exitCode.refused,
    );
  if (isPassing(status)) return new PassingFault(what, afterMs);
  return new AuditlakeError(`${what}, expected 200; check base_url and sources.<name>.audits`);
}

function isPassing(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}

/** Both forms of Retry-After as milliseconds from now; a date counts from the service's own clock. */
export function retryAfterMs(
  header: string | string[] | undefined,
  serverTimeMs: number,
): number | undefined {
  if (typeof header !== "string") return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - serverTimeMs);
}

/**
 * What a failed attempt means. Network faults and pages that are not whole pass; what is ours, or the
 * person's to mend, does not. A network error could quote a header, so only its code is shown.
 */
export function settleFault(error: unknown, timeoutMs: number, signal: AbortSignal): Error {
  if (signal.aborted) return new AuditlakeError("interrupted", exitCode.interrupted);
  if (error instanceof PageError) return new PassingFault(error.message);
  if (error instanceof AuditlakeError || error instanceof PassingFault) return error;
  if (error instanceof Error && error.name === "TimeoutError")
    return new PassingFault(`no whole answer within ${timeoutMs / 1000} s`);
  const code = codeOf(error);
  if (code === undefined) return error instanceof Error ? error : new Error(String(error));
  const final = finalFaults.get(code) ?? certificateFault(code);
  if (final !== undefined) return new AuditlakeError(final);
  return new PassingFault(passingFaults.get(code) ?? `network fault ${code}`);
}

// What names a fault of the network; undefined for an error of our own.
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("code" in error && typeof error.code === "string") return error.code;
  // Not every error of the HTTP client has a code.
  return error instanceof errors.UndiciError || error instanceof errors.HTTPParserError
    ? error.name
    : undefined;
}

function certificateFault(code: string): string | undefined {
  return /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS/.test(code)
    ? `the service's certificate cannot be trusted (${code}); check base_url, or name your own authority in NODE_EXTRA_CA_CERTS`
    : undefined;
}

const finalFaults = new Map([
  [
    "UND_ERR_HEADERS_OVERFLOW",
    "the headers of the answer are too long (UND_ERR_HEADERS_OVERFLOW); check base_url and the proxy",
  ],
  ["UND_ERR_INVALID_ARG", "the request cannot be sent (UND_ERR_INVALID_ARG); check sources.<name>"],
]);

const passingFaults = new Map([
  ["ECONNREFUSED", "nothing listens there (ECONNREFUSED)"],
  ["ENOTFOUND", "the host name does not resolve (ENOTFOUND)"],
  ["EAI_AGAIN", "the host name does not resolve for now (EAI_AGAIN)"],
  ["ECONNRESET", "the connection was reset (ECONNRESET)"],
  ["UND_ERR_SOCKET", "the connection broke off (UND_ERR_SOCKET)"],
  ["HTTPParserError", "the answer is no HTTP (HTTPParserError)"],
  ["UND_ERR_CONNECT_TIMEOUT", "no connection within 10 s (UND_ERR_CONNECT_TIMEOUT)"],
  ["Z_DATA_ERROR", "the compressed body is damaged (Z_DATA_ERROR)"],
  ["Z_BUF_ERROR", "the compressed body is cut off (Z_BUF_ERROR)"],
]);
