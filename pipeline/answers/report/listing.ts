import { chartText } from "../chart/form.ts";
import type { Report } from "./find.ts";
import type { Param } from "./header.ts";
import { describeParam, missingParams } from "./params.ts";
import { printable } from "../../base/printable.ts";
import type { Rows } from "../../base/rows/row.ts";
import { textResult } from "./result.ts";

/** The reports as rows: name, family, title and what has to be given, and for machines all the rest of the headers. */
export function reportRows(reports: readonly Report[], complete: boolean): Rows {
  if (!complete)
    return textResult(
      ["name", "family", "title", "needs"],
      reports.map((report) => [report.name, report.family, report.title, needsOf(report)]),
    );
  return textResult(
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

// The parameters without which it does not run.
function needsOf(report: Report): string | null {
  const needed = missingParams(report, new Map()).map(({ name }) => `--param ${name}=…`);
  return needed.length === 0 ? null : needed.join(" ");
}

/** A report in full: header, parameters with their defaults, notes, and the SQL. */
export function reportText(report: Report): string {
  const { chart } = report;
  const facts = Object.entries({
    family: report.family,
    grain: report.grain,
    chart: chart && chartText(chart),
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
    ...report.params.map(paramLine),
    "",
    ...notesOf(report),
    ...report.sql.trimEnd().split(/\r?\n/).slice(report.lines),
  ];
  return `${lines.map(printableLine).join("\n")}\n`;
}

// What the header says beside its keys, with an empty line after it.
function notesOf({ sql, lines }: Report): string[] {
  const header = sql.split(/\r?\n/).slice(0, lines);
  const prose = header.filter((line) => !/^-- *[a-z]+:( |$)/.test(line));
  const notes = prose.map((line) => line.replace(/^-- ?/, ""));
  return notes.some((line) => line !== "") ? [...notes, ""] : [];
}

function paramLine({ name, type, defaultText }: Param): string {
  const what =
    defaultText === undefined
      ? "required"
      : defaultText === null
        ? "optional"
        : `default ${defaultText}`;
  return `  ${name.padEnd(16)}${type.padEnd(10)}${what}`;
}

// Tabs indent SQL; they are the one control character that stays.
function printableLine(line: string): string {
  return line.split("\t").map(printable).join("\t");
}
