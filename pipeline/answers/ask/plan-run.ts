import { formatCommand } from "../../base/command-line.ts";
import { join, resolve } from "node:path";
import { formatDay } from "../../base/time/text.ts";
import {
  getExtension,
  type Format,
  formatOfFile,
  newNoFormatError,
  refuseTextOptions,
} from "../report/formats.ts";
import { UsageError } from "../../base/errors.ts";
import { selectReports, type Report } from "../../base/report/find.ts";
import type { RowLimit } from "../../base/rows/row.ts";
import {
  type GivenValues,
  readGivenParams,
  listMissingParams,
  buildQuestion,
  refuseUnknown,
} from "../../base/report/params.ts";
import type { Question } from "../../base/sql/question.ts";

export type RunFlags = {
  readonly all?: true;
  readonly since?: string;
  readonly until?: string;
  readonly during?: string;
  readonly param: readonly string[];
  readonly timezone?: string;
  readonly format?: Format;
  /** The chart in characters, as `--format chart`. */
  readonly chart?: true;
  readonly out?: string;
  readonly raw?: true;
  readonly limit?: RowLimit;
  readonly header?: boolean;
  readonly separator?: string;
  readonly dated?: true;
  readonly meta?: true;
  readonly failOnRows?: true;
  readonly summary?: string;
  /** Where they are run, if not on the published file. */
  readonly engine?: string;
};

/** One report to run, and where to; without a path it goes to standard output. */
export type Job = {
  readonly report: Report;
  readonly question: Question;
  readonly format: Format;
  readonly path: string | undefined;
};

export type Plan = {
  readonly jobs: readonly Job[];
  /** Reports that `--all` leaves out because a parameter without a default was not given. */
  readonly skipped: readonly { readonly report: Report; readonly missing: readonly string[] }[];
  /** Folder that the files go to, for several reports. */
  readonly folder: string | undefined;
};

/**
 * Checks names and flags before anything runs; throws UsageError for what does not fit together.
 * Without `--format` it is the format of the extension of `--out`, CSV for a folder, else a table.
 */
export function planRun(
  reports: readonly Report[],
  names: readonly string[],
  { out, ...rest }: RunFlags,
  nowMs: number,
): Plan {
  // A dash is standard output, as elsewhere.
  const flags: RunFlags = out === undefined || out === "-" ? rest : { ...rest, out };
  const chosen = chooseReports(reports, names, flags.all);
  const areSeveral = flags.all === true || chosen.length > 1;
  const format = chooseFormat(flags, areSeveral);
  refuseMisfits(flags, areSeveral, format);
  const zone = flags.timezone === undefined ? [] : [`timezone=${flags.timezone}`];
  const given = readGivenParams(flags, [...flags.param, ...zone], nowMs);
  refuseUnknown(given, chosen);
  const skipped = flags.all ? listSkippedReports(chosen, given) : [];
  const folder =
    areSeveral && flags.out !== undefined ? chooseFolder(flags.out, flags, nowMs) : undefined;
  const choosePath = (name: string): string | undefined =>
    folder === undefined ? flags.out : join(folder, `${name}.${getExtension(format)}`);
  const jobs = chosen
    .filter((report) => !skipped.some((each) => each.report === report))
    .map((report): Job => {
      const question = buildQuestion(report, given, nowMs);
      return { report, question, format, path: choosePath(report.name) };
    });
  return { jobs, skipped, folder };
}

// A dated folder preserves the files of earlier runs.
function chooseFolder(out: string, { dated }: RunFlags, nowMs: number): string {
  return dated ? join(resolve(out), formatDay(nowMs)) : resolve(out);
}

function refuseMisfits(flags: RunFlags, areSeveral: boolean, format: Format): void {
  if (flags.dated && !(areSeveral && flags.out !== undefined))
    throw new UsageError("--dated needs several reports, or --all, and the folder of --out");
  if (flags.meta && flags.out === undefined)
    throw new UsageError("--meta writes a file beside that of --out; add --out");
  refuseTextOptions(flags, format);
}

function chooseReports(reports: readonly Report[], names: readonly string[], all?: true): Report[] {
  if (all && names.length > 0) throw new UsageError("give either names of reports or --all");
  if (!all && names.length === 0)
    throw new UsageError(
      `give the name of a report, or --all; ${formatCommand("report", "list")} shows them`,
    );
  return all ? [...reports] : selectReports(reports, names);
}

function listSkippedReports(chosen: readonly Report[], given: GivenValues): Plan["skipped"] {
  return chosen
    .map((report) => ({
      report,
      missing: listMissingParams(report, given).map(({ name }) => name),
    }))
    .filter(({ missing }) => missing.length > 0);
}

// Formats whose results can follow each other in one output.
const together: readonly Format[] = ["table", "markdown", "chart"];

function chooseFormat(flags: RunFlags, areSeveral: boolean): Format {
  if (flags.chart && flags.format !== undefined && flags.format !== "chart")
    throw new UsageError(`found --chart and --format ${flags.format}; expected one of the two`);
  const chosen = flags.chart ? "chart" : flags.format;
  const format = chosen ?? chooseDefaultFormat(flags.out, areSeveral);
  if (flags.out === undefined && format === "parquet")
    throw new UsageError("parquet is written to a file; add --out");
  if (flags.out === undefined && areSeveral && !together.includes(format))
    throw new UsageError(
      `several reports cannot share one ${format} stream; add --out DIR for one file each`,
    );
  return format;
}

function chooseDefaultFormat(out: string | undefined, areSeveral: boolean): Format {
  if (out === undefined) return "table";
  if (areSeveral) return "csv";
  const format = formatOfFile(out);
  if (format) return format;
  throw newNoFormatError(out);
}
