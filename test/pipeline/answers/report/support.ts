import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { renderRows, type RowFormat } from "../../../../pipeline/answers/report/formats.ts";
import type { Column, Row, Rows } from "../../../../pipeline/base/rows/row.ts";
import type { RenderOptions } from "../../../../pipeline/answers/report/result.ts";
import type { Statement } from "../../../../pipeline/base/sql/bind.ts";

export const nowMs = Date.UTC(2026, 10, 21, 12);

/** A folder that is removed when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "auditlake-report-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A database in memory that is closed when the test ends. */
export async function memoryDatabase(): Promise<DuckDBConnection> {
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  const connection = await instance.connect();
  await connection.run("set TimeZone = 'UTC'");
  onTestFinished(() => {
    connection.closeSync();
    instance.closeSync();
  });
  return connection;
}

export function plain(sql: string, values: Statement["values"] = {}): Statement {
  return { sql, values };
}

export function textColumns(...names: string[]): Column[] {
  return names.map((name) => ({ name, type: "VARCHAR", kind: "text" }));
}

export function buildResult(columns: readonly Column[], ...batches: (readonly Row[])[]): Rows {
  return {
    columns,
    batches: (async function* () {
      for (const batch of batches) yield await Promise.resolve(batch);
    })(),
  };
}

export async function render(
  format: RowFormat,
  result: Rows,
  options: RenderOptions = {},
): Promise<string> {
  let text = "";
  await renderRows(format, result, (piece) => Promise.resolve(void (text += piece)), options);
  return text;
}

export async function readRows(result: Rows): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const batch of result.batches) rows.push(...batch);
  return rows;
}
