import { type Statement, takenApart } from "./own-names.ts";
import { tablesIn } from "./pieces.ts";

/** A name that statements may use, and the query that it stands for. */
export type Given = { readonly name: string; readonly sql: () => string };

type Names = ReadonlySet<string>;

/** What a place of a statement is to define where it reads it, and what stands for something else there. */
type Scope = { readonly given: readonly Given[]; readonly defined: Names; readonly masked: Names };

/**
 * A statement with the queries that the names in it stand for; each of `given` comes after those it reads. A name that
 * the statement gives itself counts from there on, as in the database. What comes before it still sees the given one.
 */
export function withNames(sql: string, given: readonly Given[]): string {
  const defined = new Set(given.map(({ name }) => name));
  return scoped(sql, { given, defined, masked: new Set() });
}

function scoped(sql: string, scope: Scope): string {
  const statement = takenApart(sql);
  const own = new Set(statement.named.map(({ name }) => name));
  const hidden = scope.defined.intersection(own);
  const inQuery = { ...scope, defined: hidden.union(scope.masked), masked: new Set<string>() };
  const queries = [
    ...outsideOf(statement, scope)
      .filter(({ name }) => !own.has(name))
      .map(({ name, sql: query }) => `${name} as (${scoped(query(), inQuery)})`),
    ...statement.named.map(({ head, body }, i) => {
      const seen = seenBy(statement, i);
      const inBody = { defined: hidden.difference(seen), masked: scope.masked.union(seen) };
      return `${head} (${scoped(body, { ...scope, ...inBody })})`;
    }),
  ];
  if (queries.length === 0) return statement.rest;
  return `with ${statement.isRecursive ? "recursive " : ""}${queries.join(",\n")}\n${statement.rest}`;
}

// The statement's own names that one of its queries sees, or its rest.
function seenBy({ isRecursive, named }: Statement, place: number): Set<string> {
  const before = named.slice(0, isRecursive ? place + 1 : place);
  return new Set(before.map(({ name }) => name));
}

// What the statement reads of what is to be defined here, by way of others too.
function outsideOf(statement: Statement, { given, defined, masked }: Scope): Given[] {
  const needed = new Set<string>();
  const need = (sql: string, among: Names): void => {
    for (const name of tablesIn(sql, among)) {
      if (needed.has(name)) continue;
      needed.add(name);
      const query = given.find((each) => each.name === name);
      if (query) need(query.sql(), defined.union(masked));
    }
  };
  const texts = [...statement.named.map(({ body }) => body), statement.rest];
  for (const [i, text] of texts.entries()) need(text, defined.difference(seenBy(statement, i)));
  return given.filter(({ name }) => needed.has(name) && defined.has(name));
}
