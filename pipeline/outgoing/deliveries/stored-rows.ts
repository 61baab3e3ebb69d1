import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { createInterface } from "node:readline";
import { z } from "zod";
import { asNew, placeFile } from "../../base/home/durable.ts";
import { AuditlakeError } from "../../base/errors.ts";
import type { Cell, Column, Row, Rows } from "../../base/rows/row.ts";

// The rows of a delivery as of its start. A resumed delivery sends the same rows in the same batches, regardless of
// changes of their source.

const kinds = ["text", "number", "boolean", "time"] as const;
const header = z.object({
  columns: z.array(z.object({ name: z.string(), type: z.string(), kind: z.enum(kinds) })),
});

/** Keeps rows in a file (0600) that is whole or not there; resolves to how many they are. */
export function keepRows({ columns, batches }: Rows, path: string): Promise<number> {
  return placeFile(path, async (draft) => {
    let count = 0;
    await using file = await open(draft, asNew.flag, asNew.mode);
    await file.appendFile(`${writeLine({ columns })}\n`);
    for await (const batch of batches) {
      await file.appendFile(batch.map((row) => `${writeLine(row.map(encodeCell))}\n`).join(""));
      count += batch.length;
    }
    return count;
  });
}

const batchSize = 1000;

/** The rows of a file that `keepRows` wrote; throws AuditlakeError where it is missing or damaged. */
export async function readKeptRows(path: string): Promise<Rows> {
  const lines = readLines(path);
  const first = await lines.next();
  const { columns } = parseStored(path, () => header.parse(JSON.parse(first.value ?? "")));
  return { columns, batches: readBatches(path, columns, lines), again: () => readKeptRows(path) };
}

/** Selects stored rows by number, starting at 1. */
export function selectRows(rows: Rows, isWanted: (number: number) => boolean): Rows {
  const { columns, again } = rows;
  return {
    columns,
    batches: selectBatches(rows, isWanted),
    ...(again === undefined ? {} : { again: async () => selectRows(await again(), isWanted) }),
  };
}

async function* selectBatches(
  { batches }: Rows,
  isWanted: (number: number) => boolean,
): AsyncGenerator<readonly Row[]> {
  let number = 0;
  for await (const batch of batches) yield batch.filter(() => isWanted((number += 1)));
}

async function* readBatches(
  path: string,
  { length }: readonly Column[],
  lines: AsyncGenerator<string>,
): AsyncGenerator<readonly Row[]> {
  let batch: Row[] = [];
  for await (const line of lines) {
    batch.push(parseStored(path, () => decodeRow(JSON.parse(line), length)));
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function* readLines(path: string): AsyncGenerator<string> {
  const input = createReadStream(path, "utf8");
  try {
    for await (const line of createInterface({ input, crlfDelay: Infinity })) yield line;
  } catch (error) {
    throw newDamageError(path, error);
  } finally {
    input.destroy();
  }
}

// Programs that read lines take these two characters for the end of a line.
function writeLine(value: unknown): string {
  return JSON.stringify(value).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

type StoredCell =
  | null
  | boolean
  | number
  | string
  | { readonly n: string }
  | { readonly d: string };

// Values that JSON would lose are wrapped in an object: 64-bit integers, NaN and infinities.
function encodeCell(cell: Cell): StoredCell {
  if (typeof cell === "bigint") return { n: String(cell) };
  if (typeof cell === "number" && (!Number.isFinite(cell) || Object.is(cell, -0)))
    return { d: Object.is(cell, -0) ? "-0" : String(cell) };
  return cell;
}

const cells = z.array(
  z.union([
    z.null(),
    z.boolean(),
    z.number(),
    z.string(),
    z.strictObject({ n: z.string() }).transform(({ n }) => BigInt(n)),
    z.strictObject({ d: z.string() }).transform(({ d }) => Number(d)),
  ]),
);

function decodeRow(value: unknown, length: number): Row {
  const row = cells.parse(value);
  if (row.length !== length) throw new Error(`${row.length} cells for ${length} columns`);
  return row;
}

function parseStored<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw newDamageError(path, error);
  }
}

function newDamageError(path: string, cause: unknown): AuditlakeError {
  // The cause may quote a row, so it is not shown.
  return cause instanceof AuditlakeError
    ? cause
    : new AuditlakeError(
        `${path} is missing or damaged, so the delivery cannot be resumed; start another with --new`,
      );
}
