import { splitSql, joinPieces } from "./pieces.ts";

// What of the database's SQL an engine does not know, or takes for something else.

/** Effect on an engine: refused, other rows, or other rows for some kinds of values. */
type Effect = "refused" | "other rows" | "maybe other rows";

/** A construct with another meaning on an engine, and its effect. */
export type Unportable = { readonly name: string; readonly effect: Effect };

type Pattern = Unportable & { readonly pattern: RegExp };

const newRefusedPattern = (name: string, pattern: RegExp): Pattern => ({
  name,
  effect: "refused",
  pattern,
});

// What ends a calculation.
const ends = "and or as from where when then else group order having union".split(" ");

const patterns: readonly Pattern[] = [
  newRefusedPattern("group by all", /\bgroup\s+by\s+all\b/),
  newRefusedPattern("order by all", /\border\s+by\s+all\b/),
  newRefusedPattern("exclude or replace in a star", /\*\s*(?:exclude|replace)\b/),
  newRefusedPattern("qualify", /\bqualify\b/),
  newRefusedPattern("from first", /(?:^|\()\s*from\b/),
  newRefusedPattern("a json function", /\b(?:json_?\w*|to_json|from_json)\s*\(|->>?/),
  newRefusedPattern("a list or struct", /\blist_\w+\s*\(|\bunnest\s*\(|\blambda\b|\[|\{/),
  newRefusedPattern("a cast with colons", /::/),
  {
    // An engine rounds the quotient to the digits of the literal; 1e4 is a floating-point number everywhere.
    name: "a division with a decimal literal; write it as a number such as 1e4",
    effect: "other rows",
    pattern: new RegExp(
      String.raw`\/\s*\(*\s*\d*\.\d|\d*\.\d+(?:(?!\b(?:${ends.join("|")})\b)[^,\/])*\/`,
    ),
  },
  {
    // Seen with Trino 476.
    name: "in with computed values; rewrite it with = and or",
    effect: "maybe other rows",
    pattern: /\bin\s*\((?!\s*(?:select|with|table)\b)[^()]*\(/,
  },
  {
    name: "a division without a number such as 1e0, which is an integer division there for two integers",
    effect: "maybe other rows",
    pattern: /^(?![^]*(?:\bas\s+double\b|\de\d))[^]*\//,
  },
  {
    name: "least or greatest, which is null there if one value is null",
    effect: "maybe other rows",
    pattern: /\b(?:least|greatest)\s*\(/,
  },
  {
    name: "split_part, which is null there if the text has no such part",
    effect: "maybe other rows",
    pattern: /\bsplit_part\s*\((?:[^()]|\([^()]*\))*,(?!\s*1\s*\))[^,()]+\)/,
  },
  {
    name: "date_diff in units above seconds, which counts complete units there",
    effect: "maybe other rows",
    pattern: /\bdate_diff\s*\(\s*'(?:minute|hour|week|month|quarter|year)/,
  },
];

/** What every engine that reads the lake calls the same, with the same result: a report needs no more. */
const portable = new Set(
  (
    "cast coalesce nullif count sum min max lower upper trim length replace substring position split_part reverse mod floor " +
    "extract date_diff date_trunc lag lead row_number rank dense_rank first_value greatest least abs round max_by min_by in_network"
  ).split(" "),
);

// Words before a bracket that are not functions, and types.
const words = new Set(
  (
    "all and any as by case char decimal distinct else except exists filter from having in intersect interval join not on or over " +
    "partition select some table then timestamp union using values varchar when where with within"
  ).split(" "),
);

// Column lists follow the name of a table of values, or of a query.
const columnLists = /\bas\s+\w+\s*\([a-z0-9_, ]+\)|\b\w+\s*\([a-z0-9_, ]+\)\s+as\s*\(/g;

// Returns a statement in lower case without comments and without the content of texts and quoted names. Units stay.
function removeComments(sql: string): string {
  const pieces = splitSql(sql).map((piece) => {
    if (piece.kind === "quoted") return { ...piece, text: "quoted" };
    const isUnit = /^'(?:minute|hour|week|month|quarter|year)s?'$/i.test(piece.text);
    return piece.kind === "string" && !isUnit ? { ...piece, text: "''" } : piece;
  });
  return joinPieces(pieces).toLowerCase();
}

/** What of a statement is not the same on an engine. */
export function findUnportable(sql: string): Unportable[] {
  const code = removeComments(sql);
  const found = patterns.filter(({ pattern }) => pattern.test(code));
  const called = code.replaceAll(columnLists, " as (").matchAll(/\b([a-z_]\w*)\s*\(/g);
  const others = new Set([...called].map(([, name]) => name!));
  const unknown = [...others.difference(portable).difference(words)];
  return [
    ...found.map(({ name, effect }) => ({ name, effect })),
    ...unknown.map((name) => ({ name: `${name}()`, effect: "maybe other rows" as const })),
  ];
}
