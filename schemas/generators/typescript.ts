import type { Catalog } from "../catalog.ts";
import type { FieldsSource } from "../source.ts";

/** The catalog as a typed, frozen TypeScript module. */
export function toTypescript(catalog: Catalog, sets: FieldsSource["sets"]): string {
  return [
    "// Generated from schemas/catalog by `make generate`; do not edit.",
    'import type { Catalog } from "../catalog.ts";',
    "",
    "export const catalog: Catalog = {",
    "entries: [",
    ...catalog.entries.map((e) => `${JSON.stringify(e)},`),
    "],",
    `deniedResults: ${JSON.stringify(catalog.deniedResults)},`,
    `fields: ${JSON.stringify(catalog.fields)},`,
    "};",
    "",
    `export const columnSets: Readonly<Record<string, string[]>> = ${JSON.stringify(sets)};`,
    "",
  ].join("\n");
}
