import { errors } from "undici";
import { AuditlakeError, exitCode } from "../errors.ts";

/** A fault that passes: worth another try, at the earliest after `afterMs`. */
export class PassingFault extends Error {
  override name = "PassingFault";
  readonly afterMs: number | undefined;
  constructor(message: string, afterMs?: number) {
    super(message);
    this.afterMs = afterMs;
  }
}

export function isPassing(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}

/**
 * Decides whether a status leaves the outcome of a writing request open: a proxy may have passed it on before it
 * failed.
 */
export function isInconclusive(status: number): boolean {
  return status >= 500;
}

/**
 * Classifies a failed attempt. Network faults are temporary; faults in our code or the user's settings are permanent. A
 * network error could quote a header, so only its code is shown.
 */
export function classifyFault(error: unknown, timeoutMs: number, signal: AbortSignal): Error {
  if (signal.aborted) return new AuditlakeError("interrupted", exitCode.interrupted);
  if (error instanceof AuditlakeError || error instanceof PassingFault) return error;
  if (error instanceof Error && error.name === "TimeoutError")
    return new PassingFault(`no complete response within ${timeoutMs / 1000} s`);
  const code = readCode(error);
  if (code === undefined) return error instanceof Error ? error : new Error(String(error));
  const final = finalFaults.get(code) ?? describeCertificateFault(code);
  if (final !== undefined) return new AuditlakeError(final);
  return new PassingFault(passingFaults.get(code) ?? `network error ${code}`);
}

/** True where a request failed before any of it left: no connection, no trust, or no request at all. */
export function isUnsent(error: unknown): boolean {
  const code = readCode(error);
  return code !== undefined && (unsent.has(code) || describeCertificateFault(code) !== undefined);
}

const unsent = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_INVALID_ARG",
]);

// What names a fault of the network; undefined for an error of our own.
function readCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("code" in error && typeof error.code === "string") return error.code;
  // Not every error of the HTTP client has a code.
  return error instanceof errors.UndiciError || error instanceof errors.HTTPParserError
    ? error.name
    : undefined;
}

function describeCertificateFault(code: string): string | undefined {
  return /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS/.test(code)
    ? `the service's certificate cannot be trusted (${code}); check the address, or set NODE_EXTRA_CA_CERTS to your own authority`
    : undefined;
}

const finalFaults = new Map([
  [
    "UND_ERR_HEADERS_OVERFLOW",
    "the response headers are too long (UND_ERR_HEADERS_OVERFLOW); check the address and the proxy",
  ],
  [
    "UND_ERR_INVALID_ARG",
    "the request cannot be sent (UND_ERR_INVALID_ARG); check the address and the credentials",
  ],
]);

const passingFaults = new Map([
  ["ECONNREFUSED", "the connection was refused (ECONNREFUSED)"],
  ["ENOTFOUND", "the host name does not resolve (ENOTFOUND)"],
  ["EAI_AGAIN", "the host name temporarily does not resolve (EAI_AGAIN)"],
  ["ECONNRESET", "the connection was reset (ECONNRESET)"],
  ["UND_ERR_SOCKET", "the connection was interrupted (UND_ERR_SOCKET)"],
  ["HTTPParserError", "the response is not HTTP (HTTPParserError)"],
  ["UND_ERR_CONNECT_TIMEOUT", "no connection within 10 s (UND_ERR_CONNECT_TIMEOUT)"],
  ["Z_DATA_ERROR", "the compressed body is damaged (Z_DATA_ERROR)"],
  ["Z_BUF_ERROR", "the compressed body is truncated (Z_BUF_ERROR)"],
]);
