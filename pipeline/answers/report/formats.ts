import { extname } from "node:path";
import { UsageError } from "../../base/errors.ts";
import { escapeControls } from "../../base/printable.ts";
import { type TextFormat, textForms } from "../../base/rows/text-forms.ts";
import type { Row, Rows } from "../../base/rows/row.ts";
import type { Render, RenderOptions, Sink } from "./result.ts";

// Loaded on demand: some formats need libraries that take as long to load as an answer.
const renders = {
  table: async () => (await import("./render/table.ts")).renderTable,
  csv: () => loadTextFormat("csv"),
  tsv: () => loadTextFormat("tsv"),
  json: async () => (await import("./render/text.ts")).renderJson,
  ndjson: () => loadTextFormat("ndjson"),
  markdown: async () => (await import("./render/text.ts")).renderMarkdown,
  lines: async () => (await import("./render/text.ts")).renderRecords,
  html: async () => (await import("./render/html.ts")).renderHtml,
  svg: async () => (await import("./render/chart.ts")).renderSvg,
  chart: async () => (await import("./render/chart.ts")).renderChart,
} satisfies Record<string, () => Promise<Render>>;

async function loadTextFormat(format: TextFormat): Promise<Render> {
  const [{ renderLines }, form] = await Promise.all([
    import("./render/text.ts"),
    textForms[format](),
  ]);
  return renderLines(form);
}

/** A format that is made of rows, one after the other. */
export type RowFormat = keyof typeof renders;

/** Any format; Parquet is written by the database itself and needs a file. */
export type Format = RowFormat | "parquet";

const all = Object.keys(renders) as RowFormat[];

const pictures: readonly RowFormat[] = ["svg", "chart"];

/** The formats of any rows: a picture takes a report that declares it. */
export const rowFormats: readonly RowFormat[] = all.filter((format) => !pictures.includes(format));
export const formats: readonly Format[] = [...all, "parquet"];

const extensions: Readonly<Record<Format, readonly [string, ...string[]]>> = {
  table: ["txt"],
  csv: ["csv"],
  tsv: ["tsv", "tab"],
  json: ["json"],
  ndjson: ["ndjson", "jsonl"],
  markdown: ["md", "markdown"],
  lines: ["lines"],
  html: ["html", "htm"],
  svg: ["svg"],
  chart: ["chart"],
  parquet: ["parquet"],
};

/** The extension that files of a format get, without the dot. */
export function getExtension(format: Format): string {
  return extensions[format][0];
}

/** The format that a file's extension means; undefined where it means none. */
export function formatOfFile(path: string): Format | undefined {
  const extension = extname(path).slice(1).toLowerCase();
  return formats.find((format) => extensions[format].includes(extension));
}

/** The error where the extension of `--out` names no format. */
export function newNoFormatError(out: string): UsageError {
  return new UsageError(
    `the extension of --out ${escapeControls(out)} is not a known format; add --format, or use .csv, .json or .md`,
  );
}

/** Loads the writer of a format, in parallel with other work. */
export async function prepareFormat(format: RowFormat): Promise<void> {
  await renders[format]();
}

/** Writes a result in a format, piece by piece as the rows come; resolves to the number of rows. */
export async function renderRows(
  format: RowFormat,
  result: Rows,
  sink: Sink,
  options: RenderOptions = {},
): Promise<number> {
  let count = 0;
  const countRows = async function* (): AsyncGenerator<readonly Row[]> {
    for await (const batch of result.batches) {
      count += batch.length;
      yield batch;
    }
  };
  const render = await renders[format]();
  const pieces = render({ ...result, batches: countRows() }, options);
  for await (const piece of pieces) await sink(piece);
  return count;
}

/**
 * Parses the separator of CSV cells: one character that neither quotes nor ends a line; a tab may be written `\t`.
 * Throws UsageError for anything else.
 */
export function parseSeparator(text: string): string {
  const separator = text === String.raw`\t` ? "\t" : text;
  if ([...separator].length === 1 && !/["'\r\n\0]/.test(separator)) return separator;
  throw new UsageError(
    `--separator ${JSON.stringify(text)}: expected one character, such as ; or |, except quotes and line breaks`,
  );
}

const withHeader: readonly Format[] = ["table", "csv", "tsv"];

/** Throws UsageError for an invalid separator, and for a separator or `--no-header` with a format that takes none. */
export function refuseTextOptions(
  { separator, header }: { readonly separator?: string | undefined; readonly header?: boolean },
  format: Format,
): void {
  if (header === false && !withHeader.includes(format))
    throw new UsageError(
      `--no-header is for ${withHeader.join(", ")}; the format here is ${format}`,
    );
  if (separator === undefined) return;
  parseSeparator(separator);
  if (format !== "csv")
    throw new UsageError(`--separator is for csv; the format here is ${format}; add --format csv`);
}
