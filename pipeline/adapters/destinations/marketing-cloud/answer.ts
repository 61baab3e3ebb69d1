import type { z } from "zod";
import { isObject } from "../../../../schemas/object.ts";
import { parseJson } from "../../../base/rows/json-text.ts";
import { errorAnswer } from "../../../../schemas/connectors/marketing-cloud-answers.ts";
import { AuditlakeError } from "../../../base/errors.ts";
import { escapeControls } from "../../../base/printable.ts";
import { formatRowCount } from "../../../outgoing/targets/error.ts";

/** The body of an answer; throws AuditlakeError, which shows none of it, where it is not what was expected. */
export function parseAs<T>(schema: z.ZodType<T>, text: string, what: string): T {
  const result = schema.safeParse(parseJson(text));
  if (result.success) return result.data;
  const key = result.error.issues[0]?.path.map(String).join(".") ?? "";
  throw new AuditlakeError(
    `${what} answered in an unexpected format${key === "" ? "" : ` (${key})`}; check the addresses of the target`,
  );
}

/** Returns the code of an error body as ` (error 10006)`; empty if missing. */
export function readErrorCode(text: string): string {
  const { errorcode } = parseError(text);
  return errorcode === undefined
    ? ""
    : ` (error ${escapeControls(String(errorcode)).slice(0, 40)})`;
}

/** Returns the message of an error body, for calls without records: it may quote the request. */
export function readErrorMessage(text: string): string {
  const { message } = parseError(text);
  return message === undefined ? "" : `: ${escapeControls(message).slice(0, 200)}`;
}

function parseError(text: string): z.infer<typeof errorAnswer> {
  const result = errorAnswer.safeParse(parseJson(text));
  return result.success ? result.data : {};
}

const isFull = (value: unknown): boolean =>
  typeof value === "object" && value !== null ? Object.keys(value).length > 0 : Boolean(value);

/**
 * What in an answer with a status of success speaks against it that so many rows were taken; undefined where nothing
 * does. Rows that were taken are given back, one by one.
 */
export function describeFewerTaken(text: string, rows: number): string | undefined {
  if (text.trim() === "") return undefined;
  const body = parseJson(text);
  if (Array.isArray(body))
    return body.length === rows ? undefined : `returned ${body.length} of ${formatRowCount(rows)}`;
  if (!isObject(body)) return "with a body that is not a list of rows";
  const isNo = body["success"] === false || body["hasErrors"] === true;
  const isError = ["errorcode", "error", "errors"].some((key) => isFull(body[key]));
  return isNo || isError ? `with an error in its body${readErrorCode(text)}` : undefined;
}
