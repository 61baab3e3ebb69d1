import type { DuckDBType, DuckDBValue } from "@duckdb/node-api";

/** A value and the type it is bound with. */
export type Bound = { readonly type: DuckDBType; readonly value: DuckDBValue };

/** SQL with named parameters (`$since`) and their values; the two never become one text. */
export type Statement = {
  readonly sql: string;
  readonly values: Readonly<Record<string, Bound>>;
};
