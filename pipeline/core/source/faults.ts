import { withhold } from "../../base/notice/notice.ts";
import { AuditlakeError, exitCode } from "../../base/errors.ts";
import type { Scrub } from "../../base/home/secrets.ts";
import type { HttpAnswer } from "../../base/http/exchange.ts";
import { isPassing, PassingFault } from "../../base/http/faults.ts";
import { asksForWait } from "../../base/http/waiting.ts";
import { LastingPageError } from "../records/error.ts";
import { escapeControls } from "../../base/printable.ts";
import { parseJson } from "../../base/rows/json-text.ts";

/** An answer whose status is not 200, does not pass, and is not about the key: the request is not taken. */
export class UnexpectedStatus extends AuditlakeError {
  override name = "UnexpectedStatus";
}

/** Status 404: the object does not exist; with the service's time. */
export class MissingError extends UnexpectedStatus {
  override name = "MissingError";
  readonly serverTimeMs: number | undefined;
  constructor(message: string, serverTimeMs?: number) {
    super(message);
    this.serverTimeMs = serverTimeMs;
  }
}

/** A page that failed at every attempt, although the service answers and requests no wait. */
export class UnservedPage extends AuditlakeError {
  override name = "UnservedPage";
}

/** Decides whether an error is of one page, so that a request which does without that page may succeed. */
export function isUnserved(error: unknown): error is AuditlakeError {
  const kinds = [UnservedPage, UnexpectedStatus, LastingPageError];
  return kinds.some((kind) => error instanceof kind);
}

/** An answer with 403: the key has no access to this request, but may have access to others. */
export class ForbiddenError extends AuditlakeError {
  override name = "ForbiddenError";
}

/**
 * What an answer with a status other than 200 means (seed 001, Errors): another try, or the end. `name` is what the
 * message calls the address.
 */
export function describeRefusal(answer: HttpAnswer, name: string, scrub: Scrub): Error {
  const { status, retryAfterMs, serverTimeMs, text: body } = answer;
  const words = readServiceMessage(body, scrub);
  const ending = words === undefined ? "" : withhold(`; it says: ${words}`);
  const what = `the service answered ${status} to GET ${name}`;
  if (isPassing(status) || asksForWait(answer)) return new PassingFault(what, retryAfterMs);
  const refused = describeRefusedKey(status, what, ending);
  if (refused !== undefined) return refused;
  const text = `${what}, expected 200; check base_url and sources.<name>${ending}`;
  return status === 404 ? new MissingError(text, serverTimeMs) : new UnexpectedStatus(text);
}

/** The error for 401 and 403, exit code 4; undefined for any other status. */
function describeRefusedKey(
  status: number,
  what: string,
  ending: string,
): AuditlakeError | undefined {
  const text = `${what}: it refused the key; check the key and the rights of its user${ending}`;
  if (status === 403) return new ForbiddenError(text, exitCode.refused);
  return status === 401 ? new AuditlakeError(text, exitCode.refused) : undefined;
}

/** A message about a source with the name that the source has in the configuration. */
export function appendSource(message: string, name: string | undefined): string {
  return name === undefined ? message : message.replaceAll("sources.<name>", `sources.${name}`);
}

const longest = 200;

// Keys of a record of the log, or of a user.
const ofRecords = /"(?:event_name|time|user_id|email)":/i;

/**
 * Returns the first line of the service's message in a refusal, for people: without secrets, printable, at most 200
 * characters. Undefined if empty, an HTML page or records.
 */
export function readServiceMessage(answer: string, scrub: Scrub): string | undefined {
  const text = answer.trim();
  if (text === "" || text.startsWith("<") || mayHoldRecords(text)) return undefined;
  const [first = ""] = text.split(/\r?\n|\r/);
  // The first line of a JSON object that spans several lines is only its bracket, so the lines are joined.
  const line = /^[[{]\s*$/.test(first) ? text.replaceAll(/\s+/g, " ") : first.trim();
  const shown = [...escapeControls(scrub(line, true))];
  return shown.length > longest ? `${shown.slice(0, longest - 1).join("")}…` : shown.join("");
}

// A proxy may send the page itself with a refusal, whole or cut off, and what that holds is in no message.
function mayHoldRecords(text: string): boolean {
  if (!/^[[{]/.test(text)) return false;
  const found = parseJson(text);
  // Serialized again, so that no key is spelled with escapes.
  return found === undefined || Array.isArray(found) || ofRecords.test(JSON.stringify(found));
}
