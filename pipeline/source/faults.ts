import { AuditlakeError, exitCode } from "../errors.ts";
import { isPassing, PassingFault, settleFault } from "../http/faults.ts";
import { MisplacedRecords, PageError } from "../records/error.ts";

/** An answer whose status is not 200, does not pass, and is not about the key: the request is not taken. */
export class UnexpectedStatus extends AuditlakeError {
  override name = "UnexpectedStatus";
}

/** An answer whose status says that there is no such thing (404). */
export class MissingError extends UnexpectedStatus {
  override name = "MissingError";
}

/** An answer with 403: what was asked for is not for this key; another thing may be. */
export class ForbiddenError extends AuditlakeError {
  override name = "ForbiddenError";
}

/**
 * What an answer with a status other than 200 means (seed 001, Errors): another try, or the end;
 * `name` is what the message calls the address, `words` what the service says itself.
 */
export function refusal(
  status: number,
  afterMs: number | undefined,
  name: string,
  words: string | undefined,
): Error {
  const said = words === undefined ? "" : `; it says: ${words}`;
  const what = `the service answered ${status} to GET ${name}`;
  const refused = refusedKey(status, what, said);
  if (refused !== undefined) return refused;
  if (isPassing(status)) return new PassingFault(what, afterMs);
  const text = `${what}, expected 200; check base_url and sources.<name>${said}`;
  return status === 404 ? new MissingError(text) : new UnexpectedStatus(text);
}

/** The error for 401 and 403, exit code 4; undefined for any other status. */
export function refusedKey(status: number, what: string, said = ""): AuditlakeError | undefined {
  const text = `${what}: it refused the key; check the key and the rights of its user${said}`;
  if (status === 403) return new ForbiddenError(text, exitCode.refused);
  return status === 401 ? new AuditlakeError(text, exitCode.refused) : undefined;
}

/** What a failed attempt to read means: a page that is not whole passes like a fault of the network. */
export function settleRead(error: unknown, timeoutMs: number, signal: AbortSignal): Error {
  // The page is whole, and another try would find its records in the same other place.
  if (error instanceof MisplacedRecords) return error;
  return error instanceof PageError && !signal.aborted
    ? new PassingFault(error.message)
    : settleFault(error, timeoutMs, signal);
}

/** A message about a source with the name that the source has in the configuration. */
export function inItsName(message: string, name: string | undefined): string {
  return name === undefined ? message : message.replaceAll("sources.<name>", `sources.${name}`);
}
