import { readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { AuditlakeError, UsageError } from "../../base/errors.ts";
import { computeSha256 } from "../../base/home/durable.ts";
import { readGiven } from "../../base/home/given-file.ts";
import type { Settings } from "../../base/home/settings.ts";
import {
  findQueriesFolder,
  findReports,
  type QueriesFlag,
  type Report,
} from "../../base/report/find.ts";
import { hasHeader, parseHeader } from "../../base/report/header.ts";
import { withParts } from "../../base/sql/statements.ts";
import type { World } from "../../base/world.ts";
import type { ExportMeta } from "../report/meta.ts";

/**
 * Finds the report whose SQL has the hash of a description: a built-in one, or a file of the user's folder, which may
 * be a previous version of a built-in one. Undefined where it is not there.
 */
export function findReportBySql(
  { sql_sha256: hash }: ExportMeta,
  settings: Settings,
  flags: QueriesFlag,
  world: World,
): Report | undefined {
  const builtIn = findReports().reports.find(({ sql }) => computeSha256(sql) === hash);
  const folder = findQueriesFolder(settings, flags, world);
  return builtIn ?? (folder === undefined ? undefined : findOwn(folder, hash));
}

/** The error of a description whose SQL is not there. */
export function newUnknownSqlError({ report, sql_sha256: hash }: ExportMeta): AuditlakeError {
  return new AuditlakeError(
    `no report has the SQL of ${report} (SHA-256 ${hash}); name the folder with that version of its file with --queries`,
  );
}

function findOwn(folder: string, hash: string): Report | undefined {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`${folder} is not a folder; --queries expects a folder of .sql files`);
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".sql"))
    .sort()
    .map((path) => join(folder, path));
  for (const path of paths) {
    const text = readGiven(path, "the report").toString("utf8");
    const sql = [text, expandParts(text)].find((one) => computeSha256(one) === hash);
    if (sql !== undefined) return newReport(path, sql);
  }
  return undefined;
}

// A part that this version does not have makes it another file.
function expandParts(text: string): string {
  try {
    return withParts(text);
  } catch {
    return text;
  }
}

function newReport(path: string, sql: string): Report {
  if (!hasHeader(sql)) throw new UsageError(`${path} has no report header`);
  const header = parseHeader(sql, path);
  const name = basename(path, ".sql");
  return { ...header, family: header.family ?? "own", name, sql, file: path, isBuiltIn: false };
}
