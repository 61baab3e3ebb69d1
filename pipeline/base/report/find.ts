import { notify, warning } from "../notice/notice.ts";
import { formatCommand } from "../command-line.ts";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { getAssetPath } from "../home/assets.ts";
import { exitCode, type ExitCode, getMessage, UsageError } from "../errors.ts";
import { type Header, parseHeader } from "./header.ts";
import { withParts } from "../sql/statements.ts";
import { findClosestNames } from "../closest-names.ts";
import type { Settings } from "../home/settings.ts";
import type { World } from "../world.ts";

/** A report: a file with a header and one SELECT; its name is the stem of the file. */
export type Report = Header & {
  readonly name: string;
  readonly family: string;
  /** The whole text of the file, header included, so that line numbers in errors fit the file. */
  readonly sql: string;
  /** Path of the file: from the package's root for the reports that come with it. */
  readonly file: string;
  /** Comes with the package: its SQL is ours. Any other is run in confinement. */
  readonly isBuiltIn: boolean;
};

// Report names become file names.
const safeName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** The available reports, and one line for each invalid file of the user. */
export type FoundReports = {
  readonly reports: readonly Report[];
  readonly broken: readonly string[];
};

/**
 * Finds the built-in reports and those of the user's folder, by family and name. Skips files with a bad header, an
 * unsafe name or a duplicate name. Throws UsageError for a missing folder.
 */
export function findReports(ownFolder?: string, builtInFolder?: string): FoundReports {
  const reports = [...(builtInFolder === undefined ? readShipped() : readBuiltIn(builtInFolder))];
  const files = new Map(reports.map(({ name, file }) => [name, file]));
  const broken: string[] = [];
  for (const path of ownFolder === undefined ? [] : listOwnFiles(ownFolder))
    try {
      const report = readReport(path, path, false);
      refuseDouble(report, files);
      reports.push(report);
    } catch (error) {
      broken.push(getMessage(error));
    }
  return {
    reports: reports.toSorted(
      (a, b) => compareNames(a.family, b.family) || compareNames(a.name, b.name),
    ),
    broken,
  };
}

let shipped: readonly Report[] | undefined;

// Read once: files of the package do not change while the program runs, and a server needs them for each page.
function readShipped(): readonly Report[] {
  return (shipped ??= readBuiltIn(getAssetPath("queries/reports")));
}

function readBuiltIn(folder: string): Report[] {
  const root = getAssetPath("");
  return listSqlFiles(folder).map((path) => readReport(path, relative(root, path), true));
}

/** The reports of the names, in their order; throws UsageError with the closest names. */
export function selectReports(reports: readonly Report[], names: readonly string[]): Report[] {
  return [...new Set(names)].map((name) => {
    const found = reports.find((report) => report.name === name);
    if (found) return found;
    const close = findClosestNames(
      name,
      reports.map((report) => report.name),
    );
    const hint = close.length > 0 ? `did you mean ${close.join(" or ")}? ` : "";
    throw new UsageError(
      `no report is called ${JSON.stringify(name)}; ${hint}${formatCommand("report", "list")} shows all`,
    );
  });
}

/** The report of a name in a folder of the user's own; throws UsageError where it has none, or a bad one. */
export function readOwnReport(folder: string, name: string): Report {
  const path = listOwnFiles(folder).find((each) => basename(each) === `${name}.sql`);
  if (path === undefined) throw new UsageError(`${folder} has no file ${name}.sql`);
  return readReport(path, path, false);
}

function listOwnFiles(folder: string): string[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`${folder} is not a folder; --queries expects a folder of .sql files`);
  return listSqlFiles(folder);
}

function listSqlFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".sql") && !basename(path).startsWith("."))
    .toSorted()
    .map((path) => join(folder, path));
}

function readReport(path: string, file: string, isBuiltIn: boolean): Report {
  const name = basename(path, ".sql");
  if (!safeName.test(name))
    throw new UsageError(
      `${file}: ${JSON.stringify(name)} cannot be the name of a report; expected letters, digits, dots, dashes and underscores, at most 100`,
    );
  const sql = isBuiltIn ? withParts(readText(path)) : readText(path);
  const header = parseHeader(sql, file);
  return { ...header, family: header.family ?? "own", name, sql, file, isBuiltIn };
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`${path}: cannot be read: ${getMessage(error)}`);
  }
}

function refuseDouble({ name, file }: Report, files: Map<string, string>): void {
  const first = files.get(name);
  if (first !== undefined)
    throw new UsageError(`${file}: report ${name} already exists (${first}); rename the file`);
  files.set(name, file);
}

function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export type QueriesFlag = { readonly queries?: string };

/** The built-in reports and those of the folder from flag, environment or configuration. */
export function findAllReports(settings: Settings, flags: QueriesFlag, world: World): FoundReports {
  return findReports(findQueriesFolder(settings, flags, world));
}

/** The folder of the user's own reports; undefined where none is configured. */
export function findQueriesFolder(
  { config, configFolder }: Settings,
  flags: QueriesFlag,
  world: World,
): string | undefined {
  const configured =
    config.queries === undefined ? undefined : resolve(configFolder, config.queries);
  return flags.queries ?? world.env["AUDITLAKE_QUERIES"] ?? configured;
}

/** Lists the valid reports; invalid files are named on standard error, also under `--quiet`. */
export function listReports(
  settings: Settings,
  flags: QueriesFlag,
  world: World,
): readonly Report[] {
  return warnOfBroken(findAllReports(settings, flags, world), world);
}

/** The same for verbs whose subject is all reports: a file that is left out makes it done in part. */
export function listSoundReports(
  settings: Settings,
  flags: QueriesFlag,
  world: World,
): readonly Report[] {
  const found = findAllReports(settings, flags, world);
  return warnOfBroken(found, world, exitCode.partial);
}

function warnOfBroken(
  { reports, broken }: FoundReports,
  world: World,
  code?: ExitCode,
): readonly Report[] {
  for (const line of broken) notify(world, warning("report_left_out", { why: line }), code);
  return reports;
}
