import type { Access, Part, Path, TableName } from "./part.ts";

/** An item in the from of one select. */
export type Relation = {
  /** What the columns of it may be called by: the alias, else the names of the table itself. */
  readonly called: Path;
  /** The table; undefined for a named query of the text, or if the alias renames its columns. */
  readonly table: TableName | undefined;
  readonly access: Access;
  /** Its columns, where they are listed. */
  readonly columns: readonly string[];
};

/** One select, as its columns see it. */
export type Block = {
  readonly relations: readonly Relation[];
  /** Names that the select list gives. */
  readonly aliases: ReadonlySet<string>;
  readonly outer: Block | undefined;
};

/** Builds the block of these parts; `tableOf` returns undefined for the name of a query. */
export function buildBlock(
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
