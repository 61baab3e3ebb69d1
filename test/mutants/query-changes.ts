import type { Change } from "./place.ts";

type Token = { readonly text: string; readonly start: number; readonly end: number };

// Comments and quoted names are passed over; a text ends at its quote, of which two are one of its own.
const pattern =
  /--.*|\/\*[\s\S]*?\*\/|"(?:[^"]|"")*"|'(?:[^']|'')*'|\$?[a-z_][a-z_0-9]*|\d+(?:\.\d+)?|<>|<=|>=|!=|=>|->|::|:=|\|\||[^\s]/gi;

const single: Readonly<Record<string, readonly [kind: string, instead: string]>> = {
  "<": ["comparison", "<="],
  "<=": ["comparison", "<"],
  ">": ["comparison", ">="],
  ">=": ["comparison", ">"],
  "=": ["comparison", "<>"],
  "<>": ["comparison", "="],
  "+": ["arithmetic", "-"],
  "-": ["arithmetic", "+"],
  and: ["connective", "or"],
  or: ["connective", "and"],
  min: ["aggregate", "max"],
  max: ["aggregate", "min"],
  sum: ["aggregate", "max"],
  arg_max: ["aggregate", "arg_min"],
  arg_min: ["aggregate", "arg_max"],
  bool_or: ["aggregate", "bool_and"],
  bool_and: ["aggregate", "bool_or"],
  greatest: ["aggregate", "least"],
  least: ["aggregate", "greatest"],
  desc: ["order", "asc"],
  asc: ["order", "desc"],
  left: ["join", "inner"],
  inner: ["join", "left"],
  distinct: ["set", ""],
  true: ["boolean", "false"],
  false: ["boolean", "true"],
  where: ["condition", "where not"],
  when: ["condition", "when not"],
  having: ["condition", "having not"],
};

/** The changes that could be made of a file of SQL; few of them leave a statement that the database refuses. */
export function queryChanges(text: string): Change[] {
  const tokens = listTokens(text);
  return tokens.flatMap((token, i) => {
    const found = buildChange(token, tokens[i - 1], tokens[i + 1], tokens, i);
    return found === undefined ? [] : [found];
  });
}

function listTokens(text: string): Token[] {
  return [...text.matchAll(pattern)]
    .filter(([found]) => !/^(?:--|\/\*|")/.test(found))
    .map(({ 0: found, index }) => ({ text: found, start: index, end: index + found.length }));
}

function buildChange(
  token: Token,
  before: Token | undefined,
  after: Token | undefined,
  tokens: readonly Token[],
  i: number,
): Change | undefined {
  const to = (kind: string, instead: string, end = token.end): Change => ({
    kind: `${kind} in SQL`,
    start: token.start,
    end,
    instead,
  });
  const [kind, instead] =
    (Object.hasOwn(single, token.text) ? single[token.text] : undefined) ?? [];
  if (token.text === "is" && after?.text === "null") return to("null", "is not");
  if (token.text === "is" && after?.text === "not") return to("null", "is", after.end);
  if (token.text === "union" && after?.text === "all") return to("set", "union", after.end);
  if (
    token.text === "not" &&
    before?.text !== "if" &&
    /^(?:in|exists|like)$/.test(after?.text ?? "")
  )
    return to("condition", "");
  if (/^\d+$/.test(token.text) && tokens[i - 3]?.text !== "exists")
    return to("number", String(Number(token.text) + 1));
  if (token.text.startsWith("'")) return to("text", token.text === "''" ? "'.'" : "''");
  if (kind === undefined || instead === undefined || isOther(token, before, after, tokens, i))
    return undefined;
  return to(kind, instead);
}

// Names and words that look the same: a column, the second half of a range, a setting, a distinction.
function isOther(
  { text }: Token,
  before: Token | undefined,
  after: Token | undefined,
  tokens: readonly Token[],
  i: number,
): boolean {
  if (before?.text === ".") return true;
  if (/^(?:min|max|sum|arg_|bool_|greatest|least)/.test(text)) return after?.text !== "(";
  if (text === "left" || text === "inner") return after?.text !== "join";
  if (text === "distinct")
    return (
      before?.text === "is" ||
      before?.text === "not" ||
      after?.text === "on" ||
      after?.text === "from"
    );
  if (text === "or") return after?.text === "replace";
  if (text === "and") return closesRange(tokens, i);
  return (
    /^[-+]$/.test(text) &&
    (before === undefined || /^[(,=<>]|^(?:select|then|else|by)$/.test(before.text))
  );
}

function closesRange(tokens: readonly Token[], i: number): boolean {
  const words = tokens.slice(Math.max(0, i - 40), i).map(({ text }) => text);
  return (
    words.lastIndexOf("between") >
    Math.max(words.lastIndexOf("and"), words.lastIndexOf("or"), words.lastIndexOf("where"))
  );
}
