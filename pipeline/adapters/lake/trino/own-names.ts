import { readName, type Piece, splitSql, listTables, joinPieces } from "./pieces.ts";
import { quoteName } from "../../../../schemas/quote.ts";

export type NamedQuery = {
  readonly name: string;
  /** The text before its bracket. */
  readonly head: string;
  readonly body: string;
};

/** A statement with the queries that it gives names set apart. */
export type Statement = {
  readonly isRecursive: boolean;
  readonly named: readonly NamedQuery[];
  readonly rest: string;
};

/** Parses a statement, without its comments and the semicolon at its end. What cannot be parsed is its rest. */
export function parseStatement(sql: string): Statement {
  const pieces = splitSql(sql);
  const reader = { pieces, at: 0 };
  const whole = { isRecursive: false, named: [], rest: endLine(joinPieces(pieces)) };
  if (peekWord(reader) !== "with") return whole;
  skipPiece(reader);
  const isRecursive = peekWord(reader) === "recursive";
  if (isRecursive) skipPiece(reader);
  const named: NamedQuery[] = [];
  do {
    if (named.length > 0) skipPiece(reader);
    const query = readNamedQuery(reader);
    if (query === undefined) return whole;
    named.push(query);
  } while (peekWord(reader) === ",");
  return { isRecursive, named, rest: endLine(joinPieces(pieces.slice(reader.at))) };
}

function endLine(text: string): string {
  return text.trim().replace(/;$/, "");
}

type Reader = { readonly pieces: readonly Piece[]; at: number };

// The next piece that is no space.
function peekPiece(reader: Reader): Piece | undefined {
  while (reader.pieces[reader.at]?.kind === "space") reader.at += 1;
  return reader.pieces[reader.at];
}

const peekWord = (reader: Reader): string | undefined => peekPiece(reader)?.text.toLowerCase();

function skipPiece(reader: Reader): void {
  peekPiece(reader);
  reader.at += 1;
}

function readNamedQuery(reader: Reader): NamedQuery | undefined {
  const name = readName(peekPiece(reader));
  const start = reader.at;
  skipPiece(reader);
  if (peekWord(reader) === "(") readBracket(reader);
  if (name === undefined || peekWord(reader) !== "as") return undefined;
  skipPiece(reader);
  const head = joinPieces(reader.pieces.slice(start, reader.at));
  const body = peekWord(reader) === "(" ? readBracket(reader) : undefined;
  return body === undefined ? undefined : { name, head, body };
}

// Reads the text between a bracket and its closing bracket, and moves past it.
function readBracket(reader: Reader): string | undefined {
  const start = reader.at + 1;
  let depth = 0;
  for (; reader.at < reader.pieces.length; reader.at++) {
    const { kind, text } = reader.pieces[reader.at]!;
    if (kind === "other") depth += text === "(" ? 1 : text === ")" ? -1 : 0;
    if (depth > 0) continue;
    reader.at += 1;
    return joinPieces(reader.pieces.slice(start, reader.at - 1));
  }
  return undefined;
}

/** A name that statements may use, and the query that it replaces. */
type GivenQuery = { readonly name: string; readonly sql: () => string };

type Names = ReadonlySet<string>;

/** The names that a part of a statement must define before use, and the names with another meaning there. */
type Scope = {
  readonly given: readonly GivenQuery[];
  readonly defined: Names;
  readonly masked: Names;
};

/**
 * Writes a statement with the queries of its names; each of `given` follows the queries that it reads. A name defined
 * by the statement itself applies from there on, as in the database; earlier text uses the given one.
 */
export function withNames(sql: string, given: readonly GivenQuery[]): string {
  const defined = new Set(given.map(({ name }) => name));
  return scopeSql(sql, { given, defined, masked: new Set() });
}

function scopeSql(sql: string, scope: Scope): string {
  const statement = parseStatement(sql);
  const own = new Set(statement.named.map(({ name }) => name));
  const hidden = scope.defined.intersection(own);
  const queries = statement.named.map((query, i) => {
    const seen = listVisible(statement, i);
    const inBody = { defined: hidden.difference(seen), masked: scope.masked.union(seen) };
    const isOwn = statement.isRecursive && listTables(query.body, new Set([query.name])).size > 0;
    const body = isOwn
      ? scopeNamedQuery(query, { ...scope, ...inBody })
      : scopeSql(query.body, { ...scope, ...inBody });
    return `${query.head} (${body})`;
  });
  return writeWith([...listOutside(statement, own, scope), ...queries], statement.rest);
}

function writeWith(queries: readonly string[], rest: string): string {
  return queries.length === 0 ? rest : `with ${queries.join(",\n")}\n${rest}`;
}

// A recursive query is alone under its `with`: an engine requires column names for each query there.
function scopeNamedQuery({ name, head, body }: NamedQuery, scope: Scope): string {
  const rest = `select * from ${quoteName(name)}`;
  const alone = `with recursive ${head} (${body})\n${rest}`;
  const needed = listOutside({ isRecursive: false, named: [], rest: body }, new Set([name]), scope);
  return needed.length === 0 ? alone : writeWith([...needed, `${head} (${alone})`], rest);
}

// The queries to be defined before those of a statement.
function listOutside(statement: Statement, own: Names, scope: Scope): string[] {
  const defined = scope.defined.intersection(own).union(scope.masked);
  return listOutsideQueries(statement, scope)
    .filter(({ name }) => !own.has(name))
    .map(
      ({ name, sql }) =>
        `${name} as (${scopeSql(sql(), { ...scope, defined, masked: new Set() })})`,
    );
}

// The statement's own names that one of its queries sees, or its rest.
function listVisible({ isRecursive, named }: Statement, place: number): Set<string> {
  const before = named.slice(0, isRecursive ? place + 1 : place);
  return new Set(before.map(({ name }) => name));
}

// Lists the given queries that the statement needs, directly or through others.
function listOutsideQueries(statement: Statement, { given, defined, masked }: Scope): GivenQuery[] {
  const needed = new Set<string>();
  const addNeeded = (sql: string, among: Names): void => {
    for (const name of listTables(sql, among)) {
      if (needed.has(name)) continue;
      needed.add(name);
      const query = given.find((each) => each.name === name);
      if (query) addNeeded(query.sql(), defined.union(masked));
    }
  };
  const texts = [...statement.named.map(({ body }) => body), statement.rest];
  for (const [i, text] of texts.entries())
    addNeeded(text, defined.difference(listVisible(statement, i)));
  return given.filter(({ name }) => needed.has(name) && defined.has(name));
}
