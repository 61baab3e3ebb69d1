import { extname } from "node:path";
import { UsageError } from "../../base/errors.ts";
import { printable } from "../../base/printable.ts";
import {
  type Format,
  formatOfFile,
  noFormatError,
  refuseTextOptions,
  renderRows,
  type RowFormat,
  separatorOf,
} from "./formats.ts";
import type { RowCount, RowLimit, Rows, TextOptions } from "../../base/rows/row.ts";
import { inFile, type RenderOptions, streamSink } from "./result.ts";
import { replaceFile } from "./write.ts";
import { terminalColumns, type World } from "../../base/world.ts";

/** Flags of the verbs that print rows. */
export type OutputFlags = {
  readonly format?: RowFormat;
  readonly out?: string | undefined;
  readonly raw?: true;
  readonly limit?: RowLimit | undefined;
  readonly header?: boolean;
  readonly separator?: string;
};

// What fits a screen or two; a file and a pipe get everything.
export const rowsOnTerminal = 50;
const readableColumns = 18;
const namesListed = 12;

/** The file of `--out`; undefined for standard output, which `-` names too. */
export function fileOf({ out }: Pick<OutputFlags, "out">): string | undefined {
  return out === "-" ? undefined : out;
}

/** How text is to be written, as the flags say. */
export function textOptionsOf({
  raw,
  header,
  separator,
}: Pick<OutputFlags, "raw" | "header" | "separator">): TextOptions {
  return { raw, header, separator: separator === undefined ? undefined : separatorOf(separator) };
}

/**
 * The format as asked for, else that of the file's extension, a table where it has none. Throws UsageError for Parquet,
 * and for an extension that names no format.
 */
export function rowFormatOf(flags: OutputFlags): RowFormat {
  const out = fileOf(flags);
  const chosen =
    flags.format ?? (out === undefined ? "table" : (formatOfFile(out) ?? noFormat(out)));
  refuseTextOptions(flags, chosen);
  if (chosen !== "parquet") return chosen;
  throw new UsageError(
    "this verb does not write parquet; save the query as a report and use report run NAME --format parquet --out FILE",
  );
}

function noFormat(out: string): "table" {
  if (extname(out) === "") return "table";
  throw noFormatError(out);
}

/** The limit as asked for; without one, only a table that people look at is cut. */
export function rowLimitOf(flags: OutputFlags, format: Format, world: World): RowLimit {
  const isLookedAt =
    format === "table" && fileOf(flags) === undefined && world.stdout.isTTY === true;
  return flags.limit ?? (isLookedAt ? rowsOnTerminal : "all");
}

/**
 * Returns how rows are written to standard output; `note` gets what a table does not show. A table that the flags ask
 * for stays one however few of its columns fit.
 */
export function stdoutOptions(
  world: World,
  { format }: { readonly format?: Format | undefined },
  note: (text: string) => void,
): RenderOptions {
  return {
    forTerminal: world.stdout.isTTY === true,
    columns: terminalColumns(world),
    narrowest: readableColumns,
    leftOut: (names) => note(leftOutText(names)),
    asLines:
      format === undefined
        ? () => note("shown as lines, since few columns fit; --format table shows those that do")
        : undefined,
  };
}

function leftOutText(names: readonly string[]): string {
  const count = `${names.length} ${names.length === 1 ? "column" : "columns"}`;
  const more = names.length - namesListed;
  const list = names.slice(0, namesListed).join(", ") + (more > 0 ? ` and ${more} more` : "");
  return `${count} not shown: ${printable(list)}; use --format lines or csv, or a wider terminal`;
}

/** Writes rows to the file of `--out` or to standard output; resolves to the number of rows. */
export async function writeRows(
  result: Rows,
  format: RowFormat,
  flags: OutputFlags,
  world: World,
  print: (line: string) => void,
): Promise<number> {
  const [out, text] = [fileOf(flags), textOptionsOf(flags)];
  if (out !== undefined)
    return replaceFile(out, ({ sink }) => renderRows(format, result, sink, { ...text, ...inFile }));
  // Printed after the rows, so that on a terminal they do not appear between them.
  const notes: string[] = [];
  const options = { ...text, ...stdoutOptions(world, flags, (note) => notes.push(note)) };
  const count = await renderRows(format, result, streamSink(world.stdout, world.signal), options);
  for (const note of notes) print(`… ${note}`);
  return count;
}

/**
 * Formats the number of rows: `206 rows`, `showing 50 of 206 rows` or, without a count, `first 50 rows`. It names the
 * file, and the flag that lifts a default limit.
 */
export function rowsText({ shown, total }: RowCount, limit?: RowLimit, path?: string): string {
  const isTruncated = total === undefined || total > shown;
  const count = total === undefined ? `first ${rows(shown)}` : rows(total);
  const place = path === undefined ? "" : `, ${printable(path)}`;
  const hint = isTruncated && limit === undefined ? "; --limit all gives all" : "";
  return `${isTruncated && total !== undefined ? `showing ${shown} of ` : ""}${count}${place}${hint}`;
}

function rows(count: number): string {
  return `${count} ${count === 1 ? "row" : "rows"}`;
}
