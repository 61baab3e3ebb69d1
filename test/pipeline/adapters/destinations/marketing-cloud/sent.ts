import type { Call } from "../../../../../fixtures/destinations/destination.ts";
import type { Column, Row, Rows } from "../../../../../pipeline/base/rows/row.ts";

/** Whether a call carries rows. */
export function carriesRows({ method, url }: Call): boolean {
  return method !== "GET" && /\/(rowset|rows)$/.test(url.pathname);
}

/** A fault for the nth call (from 1) that fits, each nth of the given. */
export function nth<T>(
  fits: (call: Call) => boolean,
  wanted: readonly number[],
  fault: T,
): (call: Call) => T | undefined {
  let seen = 0;
  return (call) => (fits(call) && wanted.includes((seen += 1)) ? fault : undefined);
}

const usual: readonly Column[] = [
  { name: "id", type: "VARCHAR", kind: "text" },
  { name: "actor", type: "VARCHAR", kind: "text" },
  { name: "count", type: "BIGINT", kind: "number" },
];

/** Rows of any columns, in batches of 30. */
export function toRows(rows: readonly Row[], columns: readonly Column[] = usual): Rows {
  const batches = async function* (): AsyncGenerator<readonly Row[]> {
    for (let at = 0; at < rows.length; at += 30)
      yield await Promise.resolve(rows.slice(at, at + 30));
  };
  return { columns, batches: batches() };
}

/** Usual rows with ids `prefix1` to `prefixN`. */
export function newRows(count: number, prefix = "r"): Row[] {
  return Array.from({ length: count }, (_, at) => [
    `${prefix}${at + 1}`,
    "ana@x.example",
    BigInt(at),
  ]);
}
