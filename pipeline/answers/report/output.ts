import { extname } from "node:path";
import { UsageError } from "../../base/errors.ts";
import { escapeControls } from "../../base/printable.ts";
import {
  type Format,
  formatOfFile,
  newNoFormatError,
  refuseTextOptions,
  renderRows,
  type RowFormat,
  parseSeparator,
} from "./formats.ts";
import type { RowCount, RowLimit, Rows, TextOptions } from "../../base/rows/row.ts";
import { inFile, type RenderOptions, newStreamSink } from "./result.ts";
import { replaceFile } from "./write.ts";
import { countTerminalColumns, type World } from "../../base/world.ts";

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
export function getFile({ out }: Pick<OutputFlags, "out">): string | undefined {
  return out === "-" ? undefined : out;
}

export function getTextOptions({
  raw,
  header,
  separator,
}: Pick<OutputFlags, "raw" | "header" | "separator">): TextOptions {
  return {
    raw,
    header,
    separator: separator === undefined ? undefined : parseSeparator(separator),
  };
}

/**
 * Chooses the requested format, else the format of the file's extension, else a table. Throws UsageError for Parquet,
 * and for an unknown extension.
 */
export function chooseRowFormat(flags: OutputFlags): RowFormat {
  const out = getFile(flags);
  const chosen =
    flags.format ?? (out === undefined ? "table" : (formatOfFile(out) ?? refuseFormat(out)));
  refuseTextOptions(flags, chosen);
  if (chosen !== "parquet") return chosen;
  throw new UsageError(
    "this command cannot write parquet; save the query as a report and use report run NAME --format parquet --out FILE",
  );
}

function refuseFormat(out: string): "table" {
  if (extname(out) === "") return "table";
  throw newNoFormatError(out);
}

/** Chooses the requested limit; by default, only a table for people is limited. */
export function chooseRowLimit(flags: OutputFlags, format: Format, world: World): RowLimit {
  const isLookedAt =
    format === "table" && getFile(flags) === undefined && world.stdout.isTTY === true;
  return flags.limit ?? (isLookedAt ? rowsOnTerminal : "all");
}

/**
 * Returns how rows are written to standard output; `note` gets what a table does not show. A table that the flags ask
 * for stays one however few of its columns fit.
 */
export function buildStdoutOptions(
  world: World,
  { format }: { readonly format?: Format | undefined },
  note: (text: string) => void,
): RenderOptions {
  return {
    forTerminal: world.stdout.isTTY === true,
    columns: countTerminalColumns(world),
    narrowest: readableColumns,
    leftOut: (names) => note(formatLeftOut(names)),
    asLines:
      format === undefined
        ? () => note("shown as lines, because few columns fit; --format table shows those that fit")
        : undefined,
  };
}

function formatLeftOut(names: readonly string[]): string {
  const count = `${names.length} ${names.length === 1 ? "column" : "columns"}`;
  const more = names.length - namesListed;
  const list = names.slice(0, namesListed).join(", ") + (more > 0 ? ` and ${more} more` : "");
  return `${count} not shown: ${escapeControls(list)}; use --format lines or csv, or a wider terminal`;
}

/**
 * Writes rows to the file of `--out` or to standard output, with wrapped texts on request; resolves to their number.
 */
export async function writeRows(
  result: Rows,
  format: RowFormat,
  flags: OutputFlags & Pick<RenderOptions, "isWrapped">,
  world: World,
  print: (line: string) => void,
): Promise<number> {
  const [out, text] = [getFile(flags), getTextOptions(flags)];
  if (out !== undefined)
    return replaceFile(out, ({ sink }) => renderRows(format, result, sink, { ...text, ...inFile }));
  // Printed after the rows, so that on a terminal they do not appear between them.
  const notes: string[] = [];
  const note = (line: string): void => void notes.push(line);
  const { isWrapped } = flags;
  const options = { ...text, ...buildStdoutOptions(world, flags, note), isWrapped };
  const count = await renderRows(
    format,
    result,
    newStreamSink(world.stdout, world.signal),
    options,
  );
  for (const line of notes) print(`… ${line}`);
  return count;
}

/**
 * Formats the number of rows: `206 rows`, `showing 50 of 206 rows` or, without a count, `first 50 rows`. It names the
 * file, and the flag that lifts a default limit.
 */
export function formatRowCount(
  { shown, total }: RowCount,
  limit?: RowLimit,
  path?: string,
): string {
  const isTruncated = total === undefined || total > shown;
  const count = total === undefined ? `first ${countText(shown)}` : countText(total);
  const place = path === undefined ? "" : `, ${escapeControls(path)}`;
  const hint = isTruncated && limit === undefined ? "; --limit all gives all" : "";
  return `${isTruncated && total !== undefined ? `showing ${shown} of ` : ""}${count}${place}${hint}`;
}

function countText(count: number): string {
  return `${count} ${count === 1 ? "row" : "rows"}`;
}
