import { extname } from "node:path";
import { csvForm, tsvForm } from "../rows/delimited.ts";
import { ndjsonForm } from "../rows/ndjson.ts";
import type { Row, Rows } from "../rows/row.ts";
import { renderChart } from "./render/chart.ts";
import { renderHtml } from "./render/html.ts";
import { renderJson } from "./render/json.ts";
import { lines } from "./render/lines.ts";
import { renderMarkdown } from "./render/markdown.ts";
import { renderRecords } from "./render/records.ts";
import { renderSvg } from "./render/svg.ts";
import { renderTable } from "./render/table.ts";
import type { Render, RenderOptions } from "./result.ts";
import type { Sink } from "./sink.ts";

const renders = {
  table: renderTable,
  csv: lines(csvForm),
  tsv: lines(tsvForm),
  json: renderJson,
  ndjson: lines(ndjsonForm),
  markdown: renderMarkdown,
  lines: renderRecords,
  html: renderHtml,
  svg: renderSvg,
  chart: renderChart,
} satisfies Record<string, Render>;

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
  result: Rows,
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
