import {
  BIGINT,
  BOOLEAN,
  DATE,
  DOUBLE,
  DuckDBDateValue,
  type DuckDBPreparedStatement,
  DuckDBTimestampValue,
  type DuckDBType,
  type DuckDBValue,
  TIMESTAMP,
  VARCHAR,
} from "@duckdb/node-api";
import { AuditlakeError } from "../errors.ts";
import type { ParamType, ParamValue, Question } from "./question.ts";

type Form = {
  readonly type: DuckDBType;
  readonly of: (value: NonNullable<ParamValue["value"]>) => DuckDBValue;
};

const forms: Readonly<Record<ParamType, Form>> = {
  timestamp: { type: TIMESTAMP, of: (ms) => new DuckDBTimestampValue(BigInt(ms) * 1000n) },
  date: { type: DATE, of: (days) => new DuckDBDateValue(Number(days)) },
  text: { type: VARCHAR, of: (text) => text },
  integer: { type: BIGINT, of: (digits) => BigInt(digits) },
  number: { type: DOUBLE, of: (number) => number },
  boolean: { type: BOOLEAN, of: (boolean) => boolean },
};

/** The question with its values as the database takes them. */
export function bindQuestion({ sql, values }: Question): Statement {
  const bound = Object.entries(values).map(([name, value]) => [name, bindValue(value)] as const);
  return { sql, values: Object.fromEntries(bound) };
}

function bindValue({ type, value }: ParamValue): Bound {
  const form = forms[type];
  return { type: form.type, value: value === null ? null : form.of(value) };
}

/** Binds by name; throws AuditlakeError where SQL and values do not name the same parameters. */
export function bindValues(prepared: DuckDBPreparedStatement, values: Statement["values"]): void {
  const used = new Set<string>();
  for (let index = 1; index <= prepared.parameterCount; index++) {
    const name = prepared.parameterName(index);
    const bound = Object.hasOwn(values, name) ? values[name] : undefined;
    if (!bound)
      throw new AuditlakeError(`the SQL uses $${name}, which no "-- param:" line declares`);
    prepared.bind({ [name]: bound.value }, { [name]: bound.type });
    used.add(name);
  }
  const unused = Object.keys(values).find((name) => !used.has(name));
  if (unused !== undefined)
    throw new AuditlakeError(`parameter ${unused} is declared but the SQL does not use $${unused}`);
}

export type Bound = { readonly type: DuckDBType; readonly value: DuckDBValue };

/** SQL with named parameters (`$since`) and their values; the two never become one text. */
export type Statement = {
  readonly sql: string;
  readonly values: Readonly<Record<string, Bound>>;
};
