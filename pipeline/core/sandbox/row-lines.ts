import {
  DuckDBDataChunk,
  type DuckDBResult,
  type DuckDBType,
  type DuckDBValue,
} from "@duckdb/node-api";
import type { Cell, ResultColumn, SandboxMessage } from "./protocol.ts";
import type { Reach } from "../../base/rows/row.ts";
import { makeDistinct } from "../../base/sql/cells.ts";

/** How values of the database become plain cells. */
export type CellForms = {
  readonly toCell: (value: DuckDBValue, type: DuckDBType) => Cell | bigint;
  readonly classifyType: (type: DuckDBType) => ResultColumn["kind"];
};

type StreamedRows = {
  readonly result: DuckDBResult;
  readonly maxRows: number;
  /** Throws where the rows ended for another reason than that all were read. */
  readonly assertWhole: (result: DuckDBResult) => Promise<void>;
};

// Rows are sent when this much text has come together.
const sendLength = 65_536;

/**
 * The columns, the rows up to the most there may be, and the end, as lines of the answer. Goes row by row: one value
 * can be a megabyte, and a chunk holds two thousand rows. A chunk keeps the values it has given out, so it is taken
 * up afresh whenever some have been sent.
 */
export async function* writeRowLines(
  { result, maxRows, assertWhole }: StreamedRows,
  { toCell, classifyType }: CellForms,
  reach: Reach | undefined,
): AsyncGenerator<string> {
  const types = result.columnTypes();
  const names = makeDistinct(result.columnNames());
  const columns = types.map((type, i) => ({
    name: names[i]!,
    type: String(type),
    kind: classifyType(type),
  }));
  let text = writeLine({ columns, reach });
  let rows = 0;
  for await (const { chunk } of result) {
    let values = new DuckDBDataChunk(chunk);
    for (let i = 0; i < values.rowCount; i++) {
      if (rows === maxRows) return yield text + writeLine({ end: { rows, more: true } });
      text += writeLine(
        values.getRowValues(i).map((value, c) => encodeCell(toCell(value, types[c]!))),
      );
      rows++;
      if (text.length < sendLength && i + 1 < values.rowCount) continue;
      yield text;
      text = "";
      values = new DuckDBDataChunk(chunk);
    }
  }
  await assertWhole(result);
  yield text + writeLine({ end: { rows, more: false } });
}

function encodeCell(cell: Cell | bigint): Cell {
  if (typeof cell === "bigint") return String(cell);
  if (typeof cell !== "number" || (Number.isFinite(cell) && !Object.is(cell, -0))) return cell;
  return cell === 0 ? "-0" : String(cell);
}

export function writeLine(answer: SandboxMessage | readonly Cell[]): string {
  return `${JSON.stringify(answer)}\n`;
}

/**
 * Reads the complete lines of a byte stream, as many at a time as have arrived. Text after the last line feed is
 * dropped, since it is incomplete. Splits at line feeds alone: other readers also split at U+2028, which JSON does not
 * escape.
 */
export async function* readLines(stream: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  let pending: Buffer[] = [];
  for await (const chunk of stream) {
    const end = chunk.lastIndexOf(10);
    if (end === -1) {
      pending.push(chunk);
      continue;
    }
    const text = Buffer.concat([...pending, chunk.subarray(0, end)]).toString("utf8");
    pending = end + 1 < chunk.length ? [chunk.subarray(end + 1)] : [];
    yield text.split("\n");
  }
}
