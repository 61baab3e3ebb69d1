import { AuditlakeError } from "../errors.ts";
import { printable } from "../printable.ts";

// These messages of the database quote the value they stumbled over, which is a record's content.
const quotesValues = /^(Conversion|Invalid Input|Out of Range)/;

/** An error of the database as one printable line, with the line of the statement, without values. */
export function queryFailure(error: unknown): AuditlakeError {
  if (error instanceof AuditlakeError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const line = /\n\nLINE (\d+):/.exec(message)?.[1];
  const [text = ""] = message
    .replace(/^Failed to \w+ statements: /, "")
    // What the database proposes here are statements; there is a setting.
    .replace(
      /(?<!\s)\s*Possible solutions:.*$/s,
      "; give it more with memory_limit in the configuration",
    )
    .split("\n\nLINE ");
  const shown = quotesValues.test(text) ? text.replace(/(['"]).*\1/s, "'…'") : text;
  const place = line === undefined ? "" : ` (line ${line} of the statement)`;
  return new AuditlakeError(printable(shown.trim().replace(/(?<!\s)\s*\n\s*/g, " ")) + place);
}
