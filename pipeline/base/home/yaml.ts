import { parseDocument } from "yaml";
import { UsageError } from "../errors.ts";
import { readGiven } from "./given-file.ts";

/** The content of a YAML or JSON file; `what` is how errors call it. Throws UsageError, which shows nothing of it. */
export function readYaml(path: string, what: string): unknown {
  return parseYaml(readGiven(path, what).toString("utf8"), (why) => {
    throw new UsageError(`${what} ${path}: ${why}`);
  });
}

/** Parses YAML; calls `fail` for invalid text, never with its content: that may be a credential. */
export function parseYaml(text: string, fail: (why: string) => never): unknown {
  const document = parseDocument(text);
  // A tag that nothing defines is a warning.
  const [fault] = [...document.errors, ...document.warnings];
  if (fault !== undefined) {
    const [place] = fault.linePos ?? [];
    const where = place === undefined ? "" : ` near line ${place.line}, column ${place.col}`;
    if (text.startsWith("!include", fault.pos[0]))
      return fail(
        `has !include${where}, which is not supported; replace it with the content of that file`,
      );
    return fail(
      `is not readable YAML${where}: ${classifyFault(fault.code)}; expected keys and values`,
    );
  }
  try {
    return document.toJS();
  } catch {
    return fail("uses an undefined alias (*), or aliases too often");
  }
}

const kinds: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: "a key occurs twice",
  TAB_AS_INDENT: "a tab where only spaces are allowed",
  BAD_INDENT: "its indentation differs from the lines around it",
  MISSING_CHAR: "a bracket, brace, quote or colon is missing",
  MULTIPLE_DOCS: "a second document starts there",
  TAG_RESOLVE_FAILED: "it has an undefined tag",
  UNRESOLVED_ALIAS: "it has an undefined alias",
  BLOCK_AS_IMPLICIT_KEY: "several keys and values are on one line",
  MULTILINE_IMPLICIT_KEY: "a key spans several lines",
};

// In our own words: those of the parser quote the file.
function classifyFault(code: string): string {
  return kinds[code] ?? "it does not follow the rules of YAML";
}
