import type { z } from "zod";
import { jsonOf } from "../../rows/json-text.ts";
import { errorAnswer } from "../../../schemas/connectors/marketing-cloud-answers.ts";
import { AuditlakeError } from "../../errors.ts";
import { printable } from "../../printable.ts";

/** The body of an answer; throws AuditlakeError, which shows none of it, where it is not what was expected. */
export function parsedAs<T>(schema: z.ZodType<T>, text: string, what: string): T {
  const result = schema.safeParse(jsonOf(text));
  if (result.success) return result.data;
  const key = result.error.issues[0]?.path.map(String).join(".") ?? "";
  throw new AuditlakeError(
    `${what} answered in another form than expected${key === "" ? "" : ` (${key})`}; check the addresses of the target`,
  );
}

/** The code of an error body as ` (error 10006)`; nothing where there is none. */
export function errorCodeIn(text: string): string {
  const { errorcode } = errorOf(text);
  return errorcode === undefined ? "" : ` (error ${printable(String(errorcode)).slice(0, 40)})`;
}

/** What an error body says, for calls that carry no record: its message may quote what was sent. */
export function errorMessageIn(text: string): string {
  const { message } = errorOf(text);
  return message === undefined ? "" : `: ${printable(message).slice(0, 200)}`;
}

function errorOf(text: string): z.infer<typeof errorAnswer> {
  const result = errorAnswer.safeParse(jsonOf(text));
  return result.success ? result.data : {};
}
