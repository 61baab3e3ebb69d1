import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import { queryFile, type Row, type Values } from "./statements.ts";

/** Reads one value of a row; throws a TypeError for a type that it does not expect. */
export type Reader<T> = (value: DuckDBValue, column: string) => T;

/** What a row has: names in camel case, each with the reader of its column (`userId` is the column `user_id`). */
export type Shape = Readonly<Record<string, Reader<unknown>>>;

export type TypedRow<S extends Shape> = { readonly [name in keyof S]: ReturnType<S[name]> };

/**
 * The rows of the last statement of a .sql file, typed by their shape.
 *
 *     const shape = { userId: text, databaseId: nullable(text), uses: count };
 *     const rows = await queryRows(connection, "queries/access/uses.sql", shape, { now });
 */
export async function queryRows<S extends Shape>(
  connection: DuckDBConnection,
  path: string,
  shape: S,
  values: Values = {},
): Promise<TypedRow<S>[]> {
  const rows = await queryFile(connection, path, values);
  return rows.map((row) => readRow(row, shape));
}

/** A row by its shape. A column that the row does not have is read as null. */
export function readRow<S extends Shape>(row: Row, shape: S): TypedRow<S> {
  const entries = Object.entries(shape).map(([name, read]) => {
    const column = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return [name, read(row[column] ?? null, column)];
  });
  return Object.fromEntries(entries) as TypedRow<S>;
}

/** Text; values of other types (times, decimals) as the database writes them. */
export const text: Reader<string> = (value, column) => String(requirePresent(value, column));

/** A count, size or number of milliseconds; refuses what a number cannot hold exactly. */
export const count: Reader<number> = (value, column) => {
  const number = Number(requirePresent(value, column));
  if (Number.isSafeInteger(number)) return number;
  throw new TypeError(`${column} is not an integer: ${typeof value}`);
};

export const truth: Reader<boolean> = (value, column) => {
  if (typeof value === "boolean") return value;
  throw new TypeError(`${column} is not a boolean: ${typeof value}`);
};

/** One of some words, such as the states of a window. */
export function oneOf<const W extends readonly string[]>(words: W): Reader<W[number]> {
  return (value, column) => {
    const word = words.find((each) => each === value);
    if (word !== undefined) return word;
    throw new TypeError(`${column} is not one of ${words.join(", ")}`);
  };
}

export function nullable<T>(read: Reader<T>): Reader<T | null> {
  return (value, column) => (value === null ? null : read(value, column));
}

function requirePresent(value: DuckDBValue, column: string): Exclude<DuckDBValue, null> {
  if (value === null) throw new TypeError(`${column} is null`);
  return value;
}
