import { contract } from "../../../schemas/generated/contract.ts";
import type { Settings } from "../../base/home/settings.ts";
import { rowFormats } from "../../answers/report/formats.ts";
import { queryRows, text } from "../../base/sql/typed-rows.ts";
import { readLimits } from "../../core/store/limits.ts";
import { openPublished } from "../../core/store/open.ts";
import { commandNames, type Desk } from "./commands.ts";

/** Names that can be completed beside tables and columns. */
export type KnownNames = {
  readonly functions: readonly string[];
  readonly reports: readonly string[];
  readonly commands: readonly string[];
  readonly formats: readonly string[];
};

/** Candidates for the end of a line, and the beginning that is already written. */
export type Completion = [candidates: string[], typed: string];

const words = [
  "select",
  "from",
  "where",
  "group by",
  "order by",
  "having",
  "limit",
  "with",
  "as",
  "join",
  "left join",
  "on",
  "and",
  "or",
  "not",
  "in",
  "is null",
  "is not null",
  "between",
  "like",
  "case",
  "when",
  "then",
  "else",
  "end",
  "distinct",
  "count(*)",
  "desc",
  "union all",
  "describe",
  "summarize",
  "show tables",
];

const tables = new Map(contract.map(({ name, columns }) => [name, columns.map((c) => c.name)]));

/** Completes the end of a line; `before` are the lines of the statement above it. */
export function completeLine(line: string, before: string, known: KnownNames): Completion {
  if (before.trim() === "" && line.startsWith(".")) return completeCommand(line, known);
  const [, alias, typed = ""] = /(?:\b(\w{1,99})\.)?(\w{0,99})$/.exec(line)!;
  const text = `${before}\n${line}`;
  const columns = alias === undefined ? listColumnsIn(text) : listColumnsOf(alias, text);
  if (alias !== undefined) return [selectStartingWith(columns, typed), typed];
  if (/\b(?:from|join|describe|summarize)\s+\w*$/i.test(line))
    return [selectStartingWith([...tables.keys()], typed), typed];
  const others = [...tables.keys(), ...words, ...(typed === "" ? [] : known.functions)];
  return [selectStartingWith([...columns, ...others], typed), typed];
}

function completeCommand(line: string, { commands, reports, formats }: KnownNames): Completion {
  const [, command = "", typed] = /^(\.\w*)(?:\s+(\S*))?$/.exec(line) ?? [];
  if (typed === undefined) return [selectStartingWith(commands, command), command];
  const names = { ".open": reports, ".mode": formats, ".schema": [...tables.keys()] }[command];
  return [selectStartingWith(names ?? [], typed), typed];
}

// Of the tables that the statement names, else of none: there are hundreds.
function listColumnsIn(text: string): string[] {
  const named = [...text.matchAll(/\b(?:from|join)\s+(\w+)/gi)].map(([, name]) =>
    name!.toLowerCase(),
  );
  return named.flatMap((name) => tables.get(name) ?? []);
}

function listColumnsOf(alias: string, text: string): readonly string[] {
  const own = tables.get(alias.toLowerCase());
  if (own !== undefined) return own;
  const named = new RegExp(String.raw`\b(\w+)\s+(?:as\s+)?${alias}\b`, "gi");
  const found = [...text.matchAll(named)].map(([, name]) => tables.get(name!.toLowerCase()));
  return found.find((columns) => columns !== undefined) ?? [];
}

function selectStartingWith(names: readonly string[], typed: string): string[] {
  const wanted = typed.toLowerCase();
  return [...new Set(names.filter((name) => name.toLowerCase().startsWith(wanted)))];
}

/** What the prompt completes: functions of the database, reports, its own commands and formats. */
export async function readKnown(
  { home, config }: Settings,
  { reports }: Desk,
): Promise<KnownNames> {
  await using database = await openPublished(home.published, readLimits(config));
  const path = "queries/prompt/functions.sql";
  const rows = await queryRows(database.connection, path, { name: text });
  return {
    functions: rows.map(({ name }) => name),
    reports: reports().map(({ name }) => name),
    commands: commandNames,
    formats: rowFormats,
  };
}
