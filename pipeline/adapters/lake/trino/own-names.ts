import { nameOf, type Piece, piecesOf, textOf } from "./pieces.ts";

/** A query that a statement gives a name. */
export type NamedQuery = {
  readonly name: string;
  /** What stands before its bracket. */
  readonly head: string;
  readonly body: string;
};

/** A statement with the queries that it gives names set apart. */
export type Statement = {
  readonly isRecursive: boolean;
  readonly named: readonly NamedQuery[];
  readonly rest: string;
};

/** Takes a statement apart, without its comments and the semicolon at its end. What cannot be told apart is its rest. */
export function takenApart(sql: string): Statement {
  const pieces = piecesOf(sql);
  const reader = { pieces, at: 0 };
  const whole = { isRecursive: false, named: [], rest: ended(textOf(pieces)) };
  if (word(reader) !== "with") return whole;
  skip(reader);
  const isRecursive = word(reader) === "recursive";
  if (isRecursive) skip(reader);
  const named: NamedQuery[] = [];
  do {
    if (named.length > 0) skip(reader);
    const query = namedQuery(reader);
    if (query === undefined) return whole;
    named.push(query);
  } while (word(reader) === ",");
  return { isRecursive, named, rest: ended(textOf(pieces.slice(reader.at))) };
}

function ended(text: string): string {
  return text.trim().replace(/;$/, "");
}

type Reader = { readonly pieces: readonly Piece[]; at: number };

// The next piece that is no space.
function peek(reader: Reader): Piece | undefined {
  while (reader.pieces[reader.at]?.kind === "space") reader.at += 1;
  return reader.pieces[reader.at];
}

const word = (reader: Reader): string | undefined => peek(reader)?.text.toLowerCase();

function skip(reader: Reader): void {
  peek(reader);
  reader.at += 1;
}

function namedQuery(reader: Reader): NamedQuery | undefined {
  const name = nameOf(peek(reader));
  const start = reader.at;
  skip(reader);
  if (word(reader) === "(") bracket(reader);
  if (name === undefined || word(reader) !== "as") return undefined;
  skip(reader);
  const head = textOf(reader.pieces.slice(start, reader.at));
  const body = word(reader) === "(" ? bracket(reader) : undefined;
  return body === undefined ? undefined : { name, head, body };
}

// What is between a bracket and the one that closes it; the reader stands behind that.
function bracket(reader: Reader): string | undefined {
  const start = reader.at + 1;
  let depth = 0;
  for (; reader.at < reader.pieces.length; reader.at++) {
    const { kind, text } = reader.pieces[reader.at]!;
    if (kind === "other") depth += text === "(" ? 1 : text === ")" ? -1 : 0;
    if (depth > 0) continue;
    reader.at += 1;
    return textOf(reader.pieces.slice(start, reader.at - 1));
  }
  return undefined;
}
