// What the trees of both grammars come to before names are resolved: only what tables and columns follow from.

/** How a statement treats a table. */
export type Access = "read" | "written";

/** The parts of a name, without quotes and in lower case. */
export type Path = readonly string[];

/** A table by its names; the database is null where the text names none. */
export type TableName = { readonly database: string | null; readonly table: string };

/** A query that others name: `with name as (…)`. */
export type NamedQuery = {
  readonly name: string;
  /** Whether its own text may name it. */
  readonly isRecursive: boolean;
  readonly parts: readonly Part[];
};

/** One piece of a statement that tables or columns follow from. */
export type Part =
  | {
      readonly is: "query";
      readonly named: readonly NamedQuery[];
      readonly parts: readonly Part[];
    }
  /** One select with its from: unqualified columns belong to the relations of their own block. */
  | { readonly is: "block"; readonly parts: readonly Part[] }
  | {
      readonly is: "relation";
      readonly path: Path;
      readonly alias: string | undefined;
      readonly access: Access;
      /** Whether the alias renames the columns, so that they cannot be determined. */
      readonly isRenamed: boolean;
    }
  /** A subquery or a list in the position of a table; `columns` if its columns are listed. */
  | {
      readonly is: "derived";
      readonly alias: string | undefined;
      readonly columns: readonly string[];
      readonly parts: readonly Part[];
    }
  /** A table that is named outside a from; a whole database where `isDatabase`. */
  | {
      readonly is: "target";
      readonly path: Path;
      readonly access: Access;
      readonly isDatabase: boolean;
    }
  /** `isLate`: where the names that the select list gives are known, too, as in `order by`. */
  | {
      readonly is: "column";
      readonly path: Path;
      readonly access: Access;
      readonly isLate: boolean;
    }
  | { readonly is: "star"; readonly path: Path }
  /** A name that the select list gives. */
  | { readonly is: "alias"; readonly name: string }
  /** Names of their own, such as those of a lambda. */
  | { readonly is: "locals"; readonly names: readonly string[]; readonly parts: readonly Part[] };

export type Statement = {
  readonly kind: StatementKind;
  readonly parts: readonly Part[];
  /** The database that the statement makes the default for those after it. */
  readonly uses: string | undefined;
};

/** What a statement does; public as `query_tables.statement_kind`. */
export type StatementKind =
  | "select"
  | "insert"
  | "insert_overwrite"
  | "create_table"
  | "replace_table"
  | "create_table_as"
  | "create_view"
  | "alter"
  | "alter_drop"
  | "analyze"
  | "delete"
  | "drop"
  | "merge"
  | "truncate"
  | "update"
  | "load"
  | "load_overwrite"
  | "other";
