import { AuditlakeError, isBadStatement } from "../errors.ts";
import { escapeControls } from "../printable.ts";

/** Types that a report may declare for a parameter. */
export const paramTypes = ["timestamp", "date", "text", "integer", "number", "boolean"] as const;

export type ParamType = (typeof paramTypes)[number];

/**
 * The value of a parameter in a form that travels between processes. A timestamp is in milliseconds and a date in days
 * since the epoch, an integer its digits.
 */
export type ParamValue = {
  readonly type: ParamType;
  readonly value: string | number | boolean | null;
};

/** SQL with named parameters (`$since`) and their values; the two never become one text. */
export type Question = {
  readonly sql: string;
  readonly values: Readonly<Record<string, ParamValue>>;
};

// These messages of the database quote the value they stumbled over, which is a record's content.
const quotesValues = /^(Conversion|Invalid Input|Out of Range)/;

/** An error of the database as one printable line, with the line of the statement, without values. */
export function describeQueryFailure(error: unknown): AuditlakeError {
  if (error instanceof AuditlakeError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const line = /\n\nLINE (\d+):/.exec(message)?.[1];
  const [text = ""] = message
    .replace(/^Failed to \w+ statements: /, "")
    // What the database proposes here are statements; there is a setting.
    .replace(/(?<!\s)\s*Possible solutions:.*$/s, "; raise memory_limit in the configuration")
    .split("\n\nLINE ");
  const shown = quotesValues.test(text) ? text.replace(/(['"]).*\1/s, "'…'") : text;
  const place = line === undefined ? "" : ` (line ${line} of the statement)`;
  const shownLine = escapeControls(shown.trim().replace(/(?<!\s)\s*\n\s*/g, " "));
  const isBad = isBadStatement(new Error(text));
  return new AuditlakeError(shownLine + place, undefined, { isBadStatement: isBad });
}
