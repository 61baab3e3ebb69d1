import type { Token } from "antlr4ng";
import type { Dialect, Language } from "./language.ts";
import type { Statement } from "./part.ts";
import { type TouchedObjects, listTouched } from "./touched-tables.ts";

/**
 * The outcome of a text: `failed` if one of its statements is in none of the languages; the others count nevertheless.
 */
export type Reading = TouchedObjects & {
  readonly state: "parsed" | "failed";
  readonly statements: number;
};

/** Reads a text in the language it is said to be in, else in the other, else statement by statement. */
export function readText(
  text: string,
  first: Dialect,
  languages: Readonly<Record<Dialect, Language>>,
): Reading {
  const inOrder = [languages[first], languages[first === "trino" ? "hive" : "trino"]];
  const lines = withLines(text);
  const whole = parseStatements(lines, inOrder);
  const each =
    whole?.map((statement) => [statement]) ??
    splitIntoPieces(lines, inOrder[0]!).map(
      (piece) => parseStatements(piece, inOrder) ?? parseSeveralInserts(piece, inOrder),
    );
  const statements = each.map((found) => joinStatements(found ?? []));
  const state = each.includes(undefined) ? "failed" : "parsed";
  return { state, statements: statements.length, ...listTouched(statements) };
}

// Some clients send line breaks as two characters: what follows a comment would be part of it.
function withLines(text: string): string {
  if (/[\r\n]/.test(text)) return text;
  return text.replaceAll(/\\r\\n|\\n|\\r|\\t/g, (written) => (written === "\\t" ? "\t" : "\n"));
}

function parseStatements(text: string, languages: readonly Language[]): Statement[] | undefined {
  for (const language of languages) {
    const statements = language.parseStatements(text);
    if (statements !== undefined) return parseTogether(text, statements, language);
  }
  return undefined;
}

// The grammars do without the sign between statements: what follows a first insert counts as a statement of its own.
function parseTogether(text: string, statements: Statement[], language: Language): Statement[] {
  if (language.dialect !== "hive" || statements.length < 2) return statements;
  const pieces = splitIntoPieces(text, language);
  if (pieces.length === statements.length) return statements;
  return pieces.map((piece) =>
    joinStatements(parseSeveralInserts(piece, [language]) ?? language.parseStatements(piece) ?? []),
  );
}

// Splits a text into its statements, by the separators between them.
function splitIntoPieces(text: string, language: Language): string[] {
  const tokens = language.listTokens(text);
  const ends = tokens.filter((token) => token.text === ";").map(({ start }) => start);
  const letters = Array.from(text);
  return [...ends, letters.length]
    .map((end, i) => letters.slice(i === 0 ? 0 : ends[i - 1]! + 1, end).join(""))
    .filter((piece) => language.listTokens(piece).length > 0);
}

// Hive takes several inserts behind one from; the grammar knows one (seen with dt-sql-parser 4.5.1). So each is read
// with the same from.
function parseSeveralInserts(
  text: string,
  languages: readonly Language[],
): Statement[] | undefined {
  const hive = languages.find(({ dialect }) => dialect === "hive")!;
  const inserts = selectOutsideParentheses(hive.listTokens(text)).filter((token) =>
    isWord(token, "INSERT"),
  );
  if (inserts.length < 2) return undefined;
  const letters = Array.from(text);
  const from = letters.slice(0, inserts[0]!.start).join("");
  const all = inserts.map((token, i) => {
    const own = letters.slice(token.start, inserts[i + 1]?.start ?? letters.length).join("");
    return hive.parseStatements(`${from}${own}`);
  });
  return all.every((statements) => statements !== undefined) ? all.flat() : undefined;
}

function selectOutsideParentheses(tokens: readonly Token[]): Token[] {
  let depth = 0;
  return tokens.filter(({ text }) => {
    if (text === "(") depth += 1;
    if (text === ")") depth -= 1;
    return depth === 0;
  });
}

const isWord = ({ text }: Token, word: string): boolean => text?.toUpperCase() === word;

function joinStatements(statements: readonly Statement[]): Statement {
  const [first] = statements;
  if (first === undefined) return { kind: "other", parts: [], uses: undefined };
  return { ...first, parts: statements.flatMap(({ parts }) => parts) };
}
