import type {
  Access,
  NamedQuery,
  Part,
  Path,
  Statement,
  StatementKind,
  TableName,
} from "./part.ts";

/** A table that a statement touches; the database is null where the text names none. */
export type TouchedTable = {
  readonly statement: number;
  readonly kind: StatementKind;
  readonly database: string | null;
  /** Null where the statement is about a whole database. */
  readonly table: string | null;
  readonly access: Access;
};

/** A column of it; `*` where all are read. */
export type TouchedColumn = {
  readonly statement: number;
  readonly database: string | null;
  readonly table: string;
  readonly column: string;
  readonly access: Access;
};

/** What the statements of a text touch, each once, in the order of the text. */
export type TouchedObjects = {
  readonly tables: readonly TouchedTable[];
  readonly columns: readonly TouchedColumn[];
};

/** The names of queries in the text, innermost first. */
type Scope = {
  readonly isNamed: (name: string) => boolean;
  readonly outer: Block | undefined;
};

type FoundObjects = {
  readonly table: (name: TableName | { database: string; table: null }, access: Access) => void;
  readonly column: (name: TableName, column: string, access: Access) => void;
  readonly nameOf: (path: Path) => TableName;
};

export function listTouched(statements: readonly Statement[]): TouchedObjects {
  const tables = new Map<string, TouchedTable>();
  const columns = new Map<string, TouchedColumn>();
  let current: string | null = null;
  for (const [index, { kind, parts, uses }] of statements.entries()) {
    const at = { statement: index + 1 };
    const database = current;
    const add = <T>(map: Map<string, T>, row: T): void => void map.set(JSON.stringify(row), row);
    walkParts(
      parts,
      { isNamed: () => false, outer: undefined },
      {
        table: (name, access) => add(tables, { ...at, kind, ...name, access }),
        column: (name, column, access) => add(columns, { ...at, ...name, column, access }),
        nameOf: (path) => ({ database: path.at(-2) ?? database, table: path.at(-1)! }),
      },
    );
    if (uses !== undefined) current = uses;
  }
  return { tables: [...tables.values()], columns: [...columns.values()] };
}

function walkParts(parts: readonly Part[], scope: Scope, found: FoundObjects): void {
  for (const part of parts) {
    if (part.is === "query") walkParts(part.parts, withNamed(part.named, scope, found), found);
    else if (part.is === "block") walkBlock(part.parts, scope, found);
    else if (part.is === "derived" || part.is === "locals") walkParts(part.parts, scope, found);
    else if (part.is === "relation") touchPath(part.path, part.access, scope, found);
    else if (part.is === "target") touchTarget(part, found);
  }
}

// A name counts from its own query on, and in that itself where it is recursive.
function withNamed(named: readonly NamedQuery[], scope: Scope, found: FoundObjects): Scope {
  let inner = scope;
  for (const { name, isRecursive, parts } of named) {
    const before = inner;
    const after: Scope = { ...scope, isNamed: (asked) => asked === name || before.isNamed(asked) };
    walkParts(parts, isRecursive ? after : before, found);
    inner = after;
  }
  return inner;
}

function touchPath(path: Path, access: Access, scope: Scope, found: FoundObjects): void {
  if (path.length === 1 && scope.isNamed(path[0]!)) return;
  found.table(found.nameOf(path), access);
}

function touchTarget(
  { path, access, isDatabase }: Extract<Part, { is: "target" }>,
  found: FoundObjects,
): void {
  if (isDatabase) found.table({ database: path.at(-1)!, table: null }, access);
  else found.table(found.nameOf(path), access);
}

function walkBlock(parts: readonly Part[], scope: Scope, found: FoundObjects): void {
  const findTable = (path: Path): TableName | undefined =>
    path.length === 1 && scope.isNamed(path[0]!) ? undefined : found.nameOf(path);
  const block = buildBlock(parts, findTable, scope.outer);
  walkParts(parts, { ...scope, outer: block }, found);
  collectColumns(parts, block, [], found);
}

function collectColumns(
  parts: readonly Part[],
  block: Block,
  locals: readonly string[],
  found: FoundObjects,
): void {
  for (const part of parts) {
    if (part.is === "locals") collectColumns(part.parts, block, [...locals, ...part.names], found);
    if (part.is === "star")
      for (const table of listStarTables(part.path, block)) found.column(table, "*", "read");
    if (part.is !== "column" || locals.includes(part.path[0]!)) continue;
    const column = resolveColumn(part, block);
    if (column !== undefined) found.column(column.table, column.column, part.access);
  }
}

/** Resolves a name to its table and column; undefined if the text alone does not show them. */
function resolveColumn(
  { path, access, isLate }: Extract<Part, { is: "column" }>,
  block: Block,
): { readonly table: TableName; readonly column: string } | undefined {
  const qualified = resolveQualified(path, block);
  if (qualified !== undefined) {
    const { relation, rest } = qualified;
    return relation.table && { table: relation.table, column: rest[0]! };
  }
  const [column] = path;
  if (isLate && block.aliases.has(column!)) return undefined;
  const table = findOnlyTable(block, column!, access === "written");
  return table && { table, column: column! };
}

/** The tables whose columns a star reads all. */
function listStarTables(path: Path, block: Block): TableName[] {
  const tables =
    path.length === 0
      ? block.relations
      : block.relations.filter(({ called }) => isCalled(called, path));
  return tables.flatMap(({ table, access }) =>
    table === undefined || access === "written" ? [] : [table],
  );
}

type QualifiedName = { readonly relation: Relation; readonly rest: Path };

// `t.column`, `db.t.column`, with fields of the column behind; in the block itself, else in those around it.
function resolveQualified(path: Path, block: Block | undefined): QualifiedName | undefined {
  if (block === undefined) return undefined;
  for (let length = Math.min(path.length - 1, 3); length > 0; length--) {
    const relation = block.relations.find(({ called }) => isCalled(called, path.slice(0, length)));
    if (relation !== undefined) return { relation, rest: path.slice(length) };
  }
  return resolveQualified(path, block.outer);
}

// A table may be called by its last name alone.
function isCalled(called: Path, path: Path): boolean {
  return path.length <= called.length && called.slice(-path.length).join(".") === path.join(".");
}

// The only table of a block, where every other relation lists its columns and none has this one.
function findOnlyTable(block: Block, column: string, isWritten: boolean): TableName | undefined {
  if (block.relations.length === 0)
    return block.outer && findOnlyTable(block.outer, column, isWritten);
  const others = block.relations.filter(({ columns }) => columns.length === 0);
  if (block.relations.some(({ columns }) => columns.includes(column))) return undefined;
  // Written columns belong to written tables.
  const written = others.filter(({ access }) => access === "written");
  const candidates = isWritten ? written : others;
  return candidates.length === 1 ? candidates[0]!.table : undefined;
}

/** An item in the from of one select. */
type Relation = {
  /** What the columns of it may be called by: the alias, else the names of the table itself. */
  readonly called: Path;
  /** The table; undefined for a named query of the text, or if the alias renames its columns. */
  readonly table: TableName | undefined;
  readonly access: Access;
  /** Its columns, where they are listed. */
  readonly columns: readonly string[];
};

/** One select, as its columns see it. */
type Block = {
  readonly relations: readonly Relation[];
  /** Names that the select list gives. */
  readonly aliases: ReadonlySet<string>;
  readonly outer: Block | undefined;
};

/** Builds the block of these parts; `tableOf` returns undefined for the name of a query. */
function buildBlock(
  parts: readonly Part[],
  tableOf: (path: Path) => TableName | undefined,
  outer: Block | undefined,
): Block {
  const relations = parts.flatMap((part): Relation[] => {
    if (part.is === "derived") {
      const { alias, columns } = part;
      return [
        { called: alias === undefined ? [] : [alias], table: undefined, access: "read", columns },
      ];
    }
    if (part.is !== "relation") return [];
    const { alias, path, access, isRenamed } = part;
    const table = isRenamed ? undefined : tableOf(path);
    return [{ called: alias === undefined ? path : [alias], table, access, columns: [] }];
  });
  const aliases = new Set(parts.flatMap((part) => (part.is === "alias" ? [part.name] : [])));
  return { relations, aliases, outer };
}
