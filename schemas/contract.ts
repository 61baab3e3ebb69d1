import { z } from "zod";
import { CatalogError } from "./catalog.ts";

/** A column that readers may rely on; the type as the database names it, in lower case. */
export type ContractColumn = {
  readonly name: string;
  readonly type: string;
  readonly meaning: string;
};

/** A view or table that readers may rely on. */
export type ContractTable = {
  readonly name: string;
  readonly group: string;
  /** What one row represents: "audit event" of `events`. */
  readonly row: string;
  readonly about: string | null;
  /** Else it is a view. */
  readonly isTable: boolean;
  readonly columns: readonly ContractColumn[];
};

type Meanings = Readonly<Record<string, string>>;

/** Meanings of the record fields, and the types of the columns that store them unchanged. */
type RecordFields = { readonly meanings: Meanings; readonly columns: Meanings };

// Stands in the source of a table for a column of each record field.
const allFields = "...fields";

/** A group of tables; a column is its type, and after a colon what it means where that is no shared meaning. */
const groupSource = z.strictObject({
  title: z.string(),
  tables: z.record(
    z.string(),
    z.strictObject({
      row: z.string(),
      about: z.string().optional(),
      is_table: z.literal(true).optional(),
      columns: z.record(z.string(), z.string()),
    }),
  ),
});

/**
 * Builds the tables in the order of the source. The meaning of a column is beside its type, else in `shared`, else with
 * the record fields, which `...fields` inserts. Throws CatalogError if it has none, and for a shared meaning that no
 * column needs.
 */
export function toContract(
  groups: readonly { readonly file: string; readonly content: unknown }[],
  shared: Meanings,
  fields: RecordFields,
): readonly ContractTable[] {
  const needed = new Set<string>();
  const buildColumn = (place: string, name: string, text: string): ContractColumn => {
    const [type = "", ...rest] = text.split(": ");
    const own = rest.join(": ");
    if (own === "" && shared[name] !== undefined) needed.add(name);
    const meaning = own || (shared[name] ?? fields.meanings[name]);
    if (meaning !== undefined && type !== "") return { name, type, meaning };
    throw new CatalogError(
      `${place}.${name}: expected "type: meaning", or a meaning in columns.json`,
    );
  };
  const tables = groups.flatMap(({ file, content }) => {
    const { title, tables: own } = groupSource.parse(content);
    return Object.entries(own).map(([name, { row, about, is_table: isTable, columns }]) => ({
      name,
      group: title,
      row,
      about: about ?? null,
      isTable: isTable === true,
      columns: Object.entries(columns)
        .flatMap(([key, text]) =>
          key === allFields ? Object.entries(fields.columns) : [[key, text] as const],
        )
        .map(([key, text]) => buildColumn(`${file}: ${name}`, key, text)),
    }));
  });
  const idle = Object.keys(shared).find((name) => !needed.has(name));
  if (idle === undefined) return tables;
  throw new CatalogError(`schemas/columns.json: ${idle}: no table has a column that needs it`);
}
