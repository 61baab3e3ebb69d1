import { formatChart } from "../../base/report/chart-form.ts";
import type { Report } from "../../base/report/find.ts";
import type { Param } from "../../base/report/header.ts";
import { describeParam, listMissingParams } from "../../base/report/params.ts";
import { escapeControls } from "../../base/printable.ts";
import type { Rows } from "../../base/rows/row.ts";
import { newTextResult } from "./result.ts";
import { formatCommand } from "../../base/command-line.ts";
import type { ContractTable } from "../../../schemas/contract.ts";
import { contract } from "../../../schemas/generated/contract.ts";
import { UsageError } from "../../base/errors.ts";
import { findNearestNames } from "../../base/closest-names.ts";

/** Returns the reports as rows: name, title, family and required parameters; `complete` adds the rest of the headers. */
export function reportRows(reports: readonly Report[], complete: boolean): Rows {
  if (!complete) return listedReports(reports);
  return newTextResult(
    ["name", "family", "title", "grain", "parameters", "file"],
    reports.map((report) => [
      report.name,
      report.family,
      report.title,
      report.grain,
      report.params.map(describeParam).join(", "),
      report.file,
    ]),
  );
}

// Titles are what a reader scans, so a table never cuts them.
function listedReports(reports: readonly Report[]): Rows {
  const rows = newTextResult(
    ["name", "title", "family", "needs"],
    reports.map((report) => [report.name, report.title, report.family, listNeeds(report)]),
  );
  const columns = rows.columns.map((column) =>
    column.name === "title" ? { ...column, isTyped: true } : column,
  );
  return { ...rows, columns };
}

// The parameters without which it does not run.
function listNeeds(report: Report): string | null {
  const needed = listMissingParams(report, new Map()).map(({ name }) => `--param ${name}=…`);
  return needed.length === 0 ? null : needed.join(" ");
}

/** A report in full: header, parameters with their defaults, notes, and the SQL. */
export function reportText(report: Report): string {
  const { chart } = report;
  const facts = Object.entries({
    family: report.family,
    grain: report.grain,
    chart: chart && formatChart(chart),
    scope: report.scope,
    file: report.file,
  });
  const lines = [
    report.name,
    report.title,
    ...(report.question === undefined ? [] : [report.question]),
    "",
    ...facts.filter(([, text]) => text).map(([key, text]) => `${key.padEnd(8)}${text}`),
    "",
    report.params.length > 0 ? "parameters" : "no parameters",
    ...report.params.map(formatParam),
    "",
    ...listNotes(report),
    ...report.sql.trimEnd().split(/\r?\n/).slice(report.lines),
  ];
  return `${lines.map(escapeLine).join("\n")}\n`;
}

// Notes in the header besides its keys, followed by an empty line.
function listNotes({ sql, lines }: Report): string[] {
  const header = sql.split(/\r?\n/).slice(0, lines);
  const prose = header.filter((line) => !/^-- *[a-z]+:( |$)/.test(line));
  const notes = prose.map((line) => line.replace(/^-- ?/, ""));
  return notes.some((line) => line !== "") ? [...notes, ""] : [];
}

function formatParam({ name, type, defaultText }: Param): string {
  const what =
    defaultText === undefined
      ? "required"
      : defaultText === null
        ? "optional"
        : `default ${defaultText}`;
  return `  ${name.padEnd(16)}${type.padEnd(10)}${what}`;
}

// Tabs indent SQL; they are the one control character that stays.
function escapeLine(line: string): string {
  return line.split("\t").map(escapeControls).join("\t");
}

/** The table or view of this name, in any case; throws UsageError with the nearest names. */
export function findTable(name: string): ContractTable {
  const found = contract.find((table) => table.name === name.toLowerCase());
  if (found !== undefined) return found;
  const names = contract.map((table) => table.name);
  const near = findNearestNames(name.toLowerCase(), names).join(", ");
  throw new UsageError(
    `no table ${JSON.stringify(name)}; similar: ${near}; ${formatCommand("tables")} lists all`,
  );
}

/** Describes what one row of a table represents, and further notes. */
export function describeTable({ row, about }: ContractTable): string {
  return `one row per ${row}.${about === null ? "" : ` ${about}`}`;
}

export function listTableRows(): Rows {
  const rows = contract.map(({ name, group, row }) => [name, group, row]);
  return newTextResult(["name", "group", "one_row_per"], rows);
}

export function listColumnRows({ columns }: ContractTable): Rows {
  const rows = columns.map(({ name, type, meaning }) => [name, type, meaning]);
  return newTextResult(["column", "type", "meaning"], rows);
}

export function listContractRows(): Rows {
  const names = ["table", "group", "one_row_per", "about", "column", "type", "meaning"];
  const rows = contract.flatMap(({ name, group, row, about, columns }) =>
    columns.map((column) => [name, group, row, about, column.name, column.type, column.meaning]),
  );
  return newTextResult(names, rows);
}
