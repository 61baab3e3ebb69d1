import { basename, resolve } from "node:path";
import { UsageError } from "../../base/errors.ts";
import { readGiven } from "../../base/home/given-file.ts";
import { quoteName, quoteText } from "../../../schemas/quote.ts";
import type { Report } from "../../base/report/find.ts";
import { hasHeader, parseHeader } from "../../base/report/header.ts";
import type { ParamValue } from "../../base/sql/question.ts";
import { readGivenParams, listMissingParams, buildQuestion } from "../../base/report/params.ts";
import { sqlTypes, formatValue } from "../../base/report/values.ts";

// Deliveries can also send a table, or the user's own statement, which runs confined like a report of the user's
// folder.

const family = "statement";
const bare = { family, grain: "one row", params: [], chart: undefined, lines: 0, isBuiltIn: false };

/** A file with one SELECT, with or without the header of a report; throws UsageError where it cannot be read. */
export function newStatementReport(path: string): Report {
  const file = resolve(path);
  const name = basename(file).replace(/\.sql$/i, "");
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name))
    throw new UsageError(
      `${path}: ${JSON.stringify(name)} cannot be the name of a delivery; expected a file name of letters, digits, dots, dashes and underscores, ending in .sql`,
    );
  const sql = readGiven(path, "the statement").toString("utf8");
  const own = hasHeader(sql) ? parseHeader(sql, path) : { title: name };
  return { ...bare, ...own, family, name, sql, file };
}

/** All rows of a table or view, `name` or `schema.name`, in an order of their own; throws UsageError where it is no name. */
export function newTableReport(table: string): Report {
  const parts = /^(?:([A-Za-z_]\w*)\.)?([A-Za-z_]\w*)$/.exec(table);
  if (parts === null)
    throw new UsageError(
      `${JSON.stringify(table)} is not a table name; expected one such as denials, or main.denials`,
    );
  const place = parts.slice(1).flatMap((part) => (part === undefined ? [] : [quoteName(part)]));
  const sql = `select * from ${place.join(".")} order by all`;
  return { ...bare, name: parts[2]!, title: table, sql, file: `table ${table}` };
}

/** Decides whether a report was built from a statement or a table, so that its name does not identify it. */
export function isStatement(report: Pick<Report, "family">): boolean {
  return report.family === family;
}

/**
 * Writes the statement of a report without its header and with its defaults, as a starting point. A parameter without a
 * default stays unchanged.
 */
export function writePlainStatement(report: Report, nowMs: number): string {
  const missing = new Set(listMissingParams(report, new Map()).map(({ name }) => name));
  const params = report.params.filter(({ name }) => !missing.has(name));
  const { values } = buildQuestion({ ...report, params }, readGivenParams({}, []), nowMs);
  const body = report.sql.replace(/^(?:--.*\n)+/, "").trim();
  return body.replaceAll(/\$(\w+)/g, (parameter, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return value === undefined ? parameter : writeLiteral(value);
  });
}

function writeLiteral(given: ParamValue): string {
  const text = given.value === null ? "null" : quoteText(formatValue(given));
  return `cast(${text} as ${sqlTypes[given.type]})`;
}
