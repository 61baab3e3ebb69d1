import type { DuckDBConnection } from "@duckdb/node-api";
import { count, nullable, queryRows } from "../../base/sql/typed-rows.ts";
import { bindRange } from "./activity.ts";
import { bindKeys, type PersonKey } from "./person.ts";
import type { Range } from "./subject.ts";

const amount = nullable(count);
const shape = {
  people: count,
  medianEvents: amount,
  mostEvents: amount,
  medianFailedSignIns: amount,
  mostFailedSignIns: amount,
  medianBytes: amount,
  mostBytes: amount,
  allBytes: amount,
  medianAddresses: amount,
  mostAddresses: amount,
};

/** Reads the usual values of all other people in a range; null without other people. */
export async function readUsual(
  connection: DuckDBConnection,
  keys: readonly PersonKey[],
  range: Range,
) {
  const values = { ...bindKeys(keys), ...bindRange(range) };
  const [row] = await queryRows(
    connection,
    "queries/pages/subject/others.sql#usual",
    shape,
    values,
  );
  return row!;
}
export type Usual = Awaited<ReturnType<typeof readUsual>>;
