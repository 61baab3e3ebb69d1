import { warning } from "../../../base/notice/notice.ts";
import { type Print } from "../../../base/notice/printer.ts";
import type { Cell, Column, ColumnKind, Row, Rows } from "../../../base/rows/row.ts";
import { makeDistinct } from "../../../base/sql/cells.ts";
import type { Transport } from "../../../base/http/transport.ts";
import type { World } from "../../../base/world.ts";
import { ask, NodeGoneError, type Part, type Trino, type TrinoColumn } from "./client.ts";
import { formatUnitMoment } from "../../../base/time/text.ts";
import { rawJson } from "../../../core/records/canonical.ts";

/** What the engine did for an answer. */
export type Spent = NonNullable<Part["stats"]>;

/**
 * Runs a statement and streams its rows. A query that fails because a node disappeared, before it returned a row, is
 * repeated, with a line by `print`. `spent` is called with the work of the engine.
 */
export async function queryTrino(
  sql: string,
  { trino, transport }: { readonly trino: Trino; readonly transport: Transport },
  world: Pick<World, "sleep" | "signal">,
  print: Print,
  spent: (stats: Spent) => void = () => undefined,
): Promise<Rows> {
  try {
    return await beginRows(ask(sql, trino, transport, world), spent);
  } catch (error) {
    if (!(error instanceof NodeGoneError)) throw error;
    print(warning("node_lost", { during: "the query" }));
    return beginRows(ask(sql, trino, transport, world), spent);
  }
}

async function beginRows(
  parts: AsyncGenerator<Part>,
  spent: (stats: Spent) => void,
): Promise<Rows> {
  const { first, columns } = await readFirstRows(parts, spent);
  const convertRows = (rows: Part["rows"]): Row[] =>
    rows.map((row) => columns.map((column, at) => toCell(row[at], column)));
  async function* readBatches(): AsyncGenerator<readonly Row[]> {
    try {
      for (let part = first; part.done !== true; part = await parts.next()) {
        if (part.value.rows.length > 0) yield convertRows(part.value.rows);
        if (part.value.stats) spent(part.value.stats);
      }
    } finally {
      await parts.return(undefined);
    }
  }
  const names = makeDistinct(columns.map(({ name }) => name));
  return {
    columns: columns.map((column, at) => ({ ...toColumn(column), name: names[at]! })),
    batches: readBatches(),
  };
}

// The columns come as soon as the engine has planned. Nothing is returned before the first rows, so that a query whose
// node disappears while it works can be repeated.
async function readFirstRows(
  parts: AsyncGenerator<Part>,
  spent: (stats: Spent) => void,
): Promise<{ readonly first: IteratorResult<Part>; readonly columns: readonly TrinoColumn[] }> {
  let columns: readonly TrinoColumn[] = [];
  for (;;) {
    const first = await parts.next();
    if (first.done === true) return { first, columns };
    columns = first.value.columns ?? columns;
    if (first.value.rows.length > 0) return { first, columns };
    if (first.value.stats) spent(first.value.stats);
  }
}

const numbers = /^(?:tinyint|smallint|integer|bigint|real|double|decimal)\b/;
const times = /^(?:timestamp|date|time)\b/;

function toColumn({ name, type }: TrinoColumn): Column {
  return { name, type: type.toUpperCase(), kind: classifyType(type) };
}

function classifyType(type: string): ColumnKind {
  if (numbers.test(type)) return "number";
  if (times.test(type)) return "time";
  return type === "boolean" ? "boolean" : "text";
}

/** A value of the engine in the form that the database's own values have. */
function toCell(value: unknown, { type }: TrinoColumn): Cell {
  if (value === null || value === undefined) return null;
  if (type === "bigint" && (typeof value === "number" || typeof value === "bigint"))
    return BigInt(value);
  if (type === "double" || type === "real") return Number(value);
  if (type.startsWith("timestamp") && typeof value === "string") return formatTime(value);
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "string")
    return value;
  return JSON.stringify(value, reviveNumber);
}

// Whole numbers of 64 bits inside of arrays and rows.
function reviveNumber(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? rawJson(String(value)) : value;
}

function formatTime(text: string): string {
  const parts = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?: UTC)?$/.exec(text);
  if (parts === null) return text;
  const [, day, time, fraction = ""] = parts;
  const seconds = BigInt(Date.parse(`${day}T${time}Z`) / 1000);
  return formatUnitMoment(seconds * 1_000_000_000n + BigInt(fraction.padEnd(9, "0")), 9) ?? text;
}
