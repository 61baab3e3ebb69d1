import type { Block, Relation } from "./block.ts";
import type { Part, Path, TableName } from "./part.ts";

/** The table and column that a name stands for; undefined where the text alone does not show that. */
export function columnOf(
  { path, access, isLate }: Extract<Part, { is: "column" }>,
  block: Block,
): { readonly table: TableName; readonly column: string } | undefined {
  const qualified = qualifiedIn(path, block);
  if (qualified !== undefined) {
    const { relation, rest } = qualified;
    return relation.table && { table: relation.table, column: rest[0]! };
  }
  const [column] = path;
  if (isLate && block.aliases.has(column!)) return undefined;
  const table = onlyTable(block, column!, access === "written");
  return table && { table, column: column! };
}

/** The tables whose columns a star reads all. */
export function starsOf(path: Path, block: Block): TableName[] {
  const tables =
    path.length === 0
      ? block.relations
      : block.relations.filter(({ called }) => isCalled(called, path));
  return tables.flatMap(({ table, access }) =>
    table === undefined || access === "written" ? [] : [table],
  );
}

type Qualified = { readonly relation: Relation; readonly rest: Path };

// `t.column`, `db.t.column`, with fields of the column behind; in the block itself, else in those around it.
function qualifiedIn(path: Path, block: Block | undefined): Qualified | undefined {
  if (block === undefined) return undefined;
  for (let length = Math.min(path.length - 1, 3); length > 0; length--) {
    const relation = block.relations.find(({ called }) => isCalled(called, path.slice(0, length)));
    if (relation !== undefined) return { relation, rest: path.slice(length) };
  }
  return qualifiedIn(path, block.outer);
}

// A table may be called by its last name alone.
function isCalled(called: Path, path: Path): boolean {
  return path.length <= called.length && called.slice(-path.length).join(".") === path.join(".");
}

// The only table of a block, where every other relation lists its columns and none has this one.
function onlyTable(block: Block, column: string, isWritten: boolean): TableName | undefined {
  if (block.relations.length === 0) return block.outer && onlyTable(block.outer, column, isWritten);
  const others = block.relations.filter(({ columns }) => columns.length === 0);
  if (block.relations.some(({ columns }) => columns.includes(column))) return undefined;
  // What is written are columns of what is written.
  const written = others.filter(({ access }) => access === "written");
  const candidates = isWritten ? written : others;
  return candidates.length === 1 ? candidates[0]!.table : undefined;
}
