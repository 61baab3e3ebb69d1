import { quoteText } from "../quote.ts";
import type { ContractTable } from "../contract.ts";

const note = "Generated from schemas/contract by `make generate`; do not edit.";

/** The data contract as a typed TypeScript module. */
export function toContractModule(tables: readonly ContractTable[]): string {
  return [
    `// ${note}`,
    'import type { ContractTable } from "../contract.ts";',
    "",
    "export const contract: readonly ContractTable[] = [",
    ...tables.map((table) => `${JSON.stringify(table)},`),
    "];",
    "",
  ].join("\n");
}

/** The statements that put every meaning into the database. */
export function toComments(tables: readonly ContractTable[]): string {
  const lines = tables.flatMap(({ name, row, about, isTable, columns }) => [
    `comment on ${isTable ? "table" : "view"} ${name} is ${quoteText(writeSentences(row, about))};`,
    ...columns.map(
      (column) => `comment on column ${name}."${column.name}" is ${quoteText(column.meaning)};`,
    ),
  ]);
  return [`-- ${note}`, ...lines, ""].join("\n");
}

/** The page of tables for people: a section a group, a part a table. */
export function toTablesPage(tables: readonly ContractTable[]): string {
  const groups = [...Map.groupBy(tables, ({ group }) => group)];
  return [
    `<!-- ${note} -->`,
    "# Tables",
    "",
    "The data contract for readers, also in `auditlake tables` and in the comments of the published file. Names and types are stable; columns may be added. Times are in UTC.",
    ...groups.flatMap(([group, own]) => ["", `## ${group}`, ...own.flatMap(writePart)]),
    "",
  ].join("\n");
}

function writePart({ name, row, about, columns }: ContractTable): string[] {
  return [
    "",
    `### ${name}`,
    "",
    writeSentences(row, about),
    "",
    "| column | type | meaning |",
    "|---|---|---|",
    ...columns.map(({ name: column, type, meaning }) => `| \`${column}\` | ${type} | ${meaning} |`),
  ];
}

function writeSentences(row: string, about: string | null): string {
  return [`One row per ${row}.`, about].filter((text) => text !== null).join(" ");
}
