import { contract } from "../../../../schemas/generated/contract.ts";
import { findClosestNames } from "../../../base/closest-names.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { QueryError } from "../../../core/sandbox/query.ts";

/** A fault of a statement: the cause as a sentence, and the place. */
export type StatementFault = {
  readonly text: string;
  /** The line of the statement and a caret below it, as the database reports them. */
  readonly place: string | undefined;
};

/** Describes what the database found wrong with a statement, with the nearest name where one is unknown. */
export function describeFault(message: string, columns: readonly string[] = []): StatementFault {
  const [what = "", ...rest] = message.split(/(?<!\n)\n+(?=LINE \d+:)/);
  const [place] = rest.join("\n").split(/\nhint: /);
  const hint = /\nhint: (.*)$/s.exec(message)?.[1];
  const text =
    describeUnknown(what, hint, columns) ??
    [what.trim().replace(/^Failed to extract statements: /, ""), hint].filter(Boolean).join(". ");
  return { text, place: place?.trim() === "" ? undefined : place };
}

const unknownColumn =
  /Referenced column "([^"]+)" (?:was )?not found(?: in FROM clause)?!?\s*(?:Candidate bindings: (.*))?/s;
const unknownThing =
  /(Table|View|(?:Scalar|Aggregate|Table) Function|Macro) with name "?(\S+?)"? does not exist!(?:\s*Did you mean "([^"]+)")?/;

function describeUnknown(
  what: string,
  hint: string | undefined,
  columns: readonly string[],
): string | undefined {
  const column = unknownColumn.exec(what);
  if (column !== null) {
    const [, name, candidates = ""] = column;
    const names = [...candidates.matchAll(/"([^"]+)"/g)].map(([, each]) => each!);
    const known = /^the column is (\w+)/.exec(hint ?? "")?.[1];
    const end = `_${name!.toLowerCase()}`;
    const longer = [`actor${end}`, ...columns].find(
      (each) => each.endsWith(end) && columns.includes(each),
    );
    return ask(
      `No column ${name}.`,
      known ?? longer ?? findClosestNames(name!, names)[0] ?? names[0],
    );
  }
  const thing = unknownThing.exec(what);
  if (thing === null) return undefined;
  const [, kind, name, near] = thing;
  const word = kind!.endsWith("Function") || kind === "Macro" ? "function" : "table";
  return ask(`No ${word} ${name}.`, near?.split(".").at(-1));
}

function ask(text: string, near: string | undefined): string {
  return near === undefined ? text : `${text} Did you mean ${near}?`;
}

// Columns of the tables that a statement names: the database proposes few of them.
function listColumns(sql: string): string[] {
  const words = new Set(sql.toLowerCase().match(/\w+/g));
  const tables = contract.filter(({ name }) => words.has(name));
  return tables.flatMap(({ columns }) => columns.map(({ name }) => name));
}

export function writeFault(error: Error, sql: string): Markup {
  const { hint, databaseText } = error instanceof QueryError ? error : {};
  // The words of the database are for what it can place; of memory and time the program's own advice is better.
  const isPlaced = databaseText !== undefined && /\bLINE \d+:/.test(databaseText);
  const message = isPlaced
    ? databaseText + (hint === undefined ? "" : `\nhint: ${hint}`)
    : error.message;
  const { text, place } = describeFault(message, listColumns(sql));
  return html`<div class="problem mt12" role="alert">
    <p><b>${text}</b></p>
    ${place === undefined ? null : html`<pre class="mt8">${place}</pre>`}
  </div>`;
}
