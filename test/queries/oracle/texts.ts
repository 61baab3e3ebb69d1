// What the texts of the emulated traffic and of hostile records touch, by their few known shapes; no parser.

export type Touched = {
  readonly kind: string;
  readonly database: string | null;
  readonly table: string;
  readonly isWritten: boolean;
};

export type Column = {
  readonly database: string | null;
  readonly table: string;
  readonly column: string;
};

const starts: readonly (readonly [RegExp, string])[] = [
  [/^\s*insert into (\S+)/i, "insert"],
  [/^\s*insert overwrite table (\S+)/i, "insert_overwrite"],
  [/^\s*truncate table (\S+)/i, "truncate"],
  [/^\s*alter table (\S+) drop/i, "alter_drop"],
  [/^\s*drop table (?:if exists )?(\S+)/i, "drop"],
  [/^\s*delete from (\S+)/i, "delete"],
];

/** The tables of a text. */
export function tablesIn(text: string | null): Touched[] {
  // A name beyond ASCII is without quotes: no engine accepts that.
  return (bare(text)?.split(";") ?? []).flatMap(tablesOfStatement);
}

function tablesOfStatement(words: string): Touched[] {
  const [start, kind] = starts.find(([pattern]) => pattern.test(words)) ?? [];
  const target = start?.exec(words)?.[1];
  const rest = start === undefined ? words : words.replace(start, "");
  const read = [...rest.matchAll(/\b(?:from|join)\s+([a-z_][\w.]*)/gi)].map((match) => match[1]!);
  const queries = [...words.matchAll(/\b(\w+) as \(/gi)].map((match) => match[1]!);
  return [
    ...(target === undefined ? [] : [findNamed(target, true)]),
    ...read.filter((name) => !queries.includes(name)).map((name) => findNamed(name, false)),
  ].map((each) => ({ ...each, kind: kind ?? "select" }));
}

/** The columns that it reads, each once. */
export function columnsIn(text: string | null): Column[] {
  const words = bare(text);
  if (words === null) return [];
  const tables = tablesIn(text);
  const of = (table: Touched | undefined, names: readonly string[]): Column[] =>
    table === undefined ? [] : names.map((column) => ({ ...table, column }));
  // A query within a query: its own columns, and those that the other table is joined by.
  if (words.includes("with recent as"))
    return [
      ...of(tables[0], [...listIn(words, "select"), "amount"]),
      ...of(tables[1], ["status", "customer_id"]),
    ];
  if (tables.length !== 1 && !/^\s*insert/i.test(words)) return [];
  const table = tables.at(-1)!;
  if (/^\s*(drop|truncate|alter)/i.test(words)) return [];
  if (/^\s*delete/i.test(words)) return of(table, [/where (\w+)/.exec(words)![1]!]);
  if (/select \*/i.test(words)) return of(table, ["*"]);
  if (/select case/.test(words))
    return of(
      table,
      [...words.matchAll(/when (\w+) =/g)].map((match) => match[1]!),
    );
  const where = [...words.matchAll(/where (\w+)/g)].map((match) => match[1]!);
  const listed = listIn(words, "select").map((item) => item.replace(/^count\(\*\).*$/, ""));
  return of(
    table,
    [...listed, ...where].filter((name) => /^[a-z_]+$/.test(name)),
  );
}

const listIn = (words: string, start: string): string[] =>
  new RegExp(`${start}\\s+(.*?)\\s+from`, "is")
    .exec(words)![1]!
    .split(",")
    .map((item) => item.trim());

// Without comments and strings; line breaks may have come as two characters.
function bare(text: string | null): string | null {
  const lines = text === null || text.includes("\n") ? text : text.replaceAll("\\n", "\n");
  const words = lines?.replaceAll(/--.*/g, "").replaceAll(/'(?:[^']|'')*'/g, "''") ?? null;
  return words === null || /[^\p{ASCII}]/u.test(words) ? null : words;
}

function findNamed(name: string, isWritten: boolean): Omit<Touched, "kind"> {
  const [database, table] = name.toLowerCase().split(".");
  return table === undefined
    ? { database: null, table: database!, isWritten }
    : { database: database!, table, isWritten };
}
