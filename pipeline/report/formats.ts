import { extname } from "node:path";
import { renderCsv } from "./render/csv.ts";
import { renderJson } from "./render/json.ts";
import { renderMarkdown } from "./render/markdown.ts";
import { renderNdjson } from "./render/ndjson.ts";
import { renderTable } from "./render/table.ts";
import { renderTsv } from "./render/tsv.ts";
import type { Render, RenderOptions, ResultSet, Row } from "./result.ts";
import type { Sink } from "./sink.ts";

const renders = {
  table: renderTable,
  csv: renderCsv,
  tsv: renderTsv,
  json: renderJson,
  ndjson: renderNdjson,
  markdown: renderMarkdown,
} satisfies Record<string, Render>;

/** A format that is made of rows, one after the other. */
export type RowFormat = keyof typeof renders;

/** Any format; Parquet is written by the database itself and needs a file. */
export type Format = RowFormat | "parquet";

export const rowFormats = Object.keys(renders) as RowFormat[];
export const formats: readonly Format[] = [...rowFormats, "parquet"];

const extensions: Readonly<Record<Format, readonly [string, ...string[]]>> = {
  table: ["txt"],
  csv: ["csv"],
  tsv: ["tsv", "tab"],
  json: ["json"],
  ndjson: ["ndjson", "jsonl"],
  markdown: ["md", "markdown"],
  parquet: ["parquet"],
};

/** The extension that files of a format get, without the dot. */
export function extensionOf(format: Format): string {
  return extensions[format][0];
}

/** The format that a file's extension means; undefined where it means none. */
export function formatOfFile(path: string): Format | undefined {
  const extension = extname(path).slice(1).toLowerCase();
  return formats.find((format) => extensions[format].includes(extension));
}

/** Writes a result in a format, piece by piece as the rows come; resolves to the number of rows. */
export async function renderRows(
  format: RowFormat,
  result: ResultSet,
  sink: Sink,
  options: RenderOptions = {},
): Promise<number> {
  let count = 0;
  const counted = async function* (): AsyncGenerator<readonly Row[]> {
    for await (const batch of result.batches) {
      count += batch.length;
      yield batch;
    }
  };
  const pieces = renders[format]({ ...result, batches: counted() }, options);
  for await (const piece of pieces) await sink(piece);
  return count;
}
