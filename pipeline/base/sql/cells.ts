import {
  DuckDBArrayValue,
  DuckDBDateValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBTimestampMillisecondsValue,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampSecondsValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  type DuckDBType,
  DuckDBTypeId,
  DuckDBUnionValue,
  type DuckDBValue,
  DuckDBVariantValue,
} from "@duckdb/node-api";
import { AuditlakeError } from "../errors.ts";
import { writeJsonObject, writeJsonCell } from "../rows/json-text.ts";
import { formatUnitMoment } from "../time/text.ts";
import type { Cell, ColumnKind } from "../rows/row.ts";

const kinds: ReadonlyMap<DuckDBTypeId, ColumnKind> = new Map([
  ...nameTypes(
    "number",
    "TINYINT SMALLINT INTEGER BIGINT HUGEINT UTINYINT USMALLINT UINTEGER UBIGINT",
  ),
  ...nameTypes("number", "UHUGEINT FLOAT DOUBLE DECIMAL BIGNUM"),
  ...nameTypes("boolean", "BOOLEAN"),
  ...nameTypes(
    "time",
    "TIMESTAMP TIMESTAMP_S TIMESTAMP_MS TIMESTAMP_NS TIMESTAMP_TZ DATE TIME TIME_TZ",
  ),
]);

function nameTypes(kind: ColumnKind, names: string): (readonly [DuckDBTypeId, ColumnKind])[] {
  return names.split(" ").map((name) => [DuckDBTypeId[name as keyof typeof DuckDBTypeId], kind]);
}

/** What a column of the type holds, as far as writing it is concerned. */
export function classifyType(type: DuckDBType): ColumnKind {
  return kinds.get(type.typeId) ?? "text";
}

/**
 * Converts a database value to a plain cell. Times are `2026-01-31T10:20:30Z`, with a fraction only if not zero;
 * decimals are exact text. Lists, structs, maps, unions and variants are JSON text.
 */
export function toCell(value: DuckDBValue, type: DuckDBType): Cell {
  if (value === null || typeof value !== "object") return value;
  return formatMoment(value) ?? formatNested(value, type) ?? String(value);
}

function formatMoment(value: DuckDBValue): string | undefined {
  if (value instanceof DuckDBTimestampValue)
    return formatUnitMoment(value.micros, 6) ?? String(value);
  if (value instanceof DuckDBTimestampTZValue)
    return formatUnitMoment(value.micros, 6) ?? String(value);
  if (value instanceof DuckDBTimestampSecondsValue) return formatUnitMoment(value.seconds, 0);
  if (value instanceof DuckDBTimestampMillisecondsValue) return formatUnitMoment(value.millis, 3);
  if (value instanceof DuckDBTimestampNanosecondsValue) return formatUnitMoment(value.nanos, 9);
  // The library shows an infinite date as the last day that it could count to (seen with @duckdb/node-api 1.5.6).
  if (value instanceof DuckDBDateValue && !value.isFinite)
    return value.days > 0 ? "infinity" : "-infinity";
  return undefined;
}

function formatNested(value: DuckDBValue, type: DuckDBType): string | undefined {
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue)
    return `[${value.items.map((item) => formatInner(item, getItemType(type))).join(",")}]`;
  if (value instanceof DuckDBStructValue) return formatStruct(value, type);
  if (value instanceof DuckDBMapValue) return mapText(value, type);
  if (value instanceof DuckDBUnionValue && type.typeId === DuckDBTypeId.UNION)
    return formatInner(value.value, type.memberTypeForTag(value.tag));
  if (value instanceof DuckDBVariantValue) return formatInner(value.value, value.type);
  return undefined;
}

function getItemType(type: DuckDBType): DuckDBType | undefined {
  const isList = type.typeId === DuckDBTypeId.LIST || type.typeId === DuckDBTypeId.ARRAY;
  return isList ? type.valueType : undefined;
}

function formatStruct(value: DuckDBStructValue, type: DuckDBType): string {
  if (type.typeId === DuckDBTypeId.STRUCT) refuseNameless(type.entryNames);
  // By place, since the type looks names up in a plain object as well.
  const types = new Map(
    type.typeId === DuckDBTypeId.STRUCT
      ? type.entryNames.map((name, at) => [name, type.entryTypes[at]])
      : Object.keys(value.entries).map((name) => [name, undefined]),
  );
  const members = [...types].map(
    ([name, inner]) => [name, formatInner(getMember(value, name), inner)] as const,
  );
  return writeJsonObject(members);
}

// Of members without names the library keeps the last one alone (seen with @duckdb/node-api 1.5.6).
function refuseNameless(names: readonly string[]): void {
  if (new Set(names).size === names.length) return;
  throw new AuditlakeError(
    "the members of a row such as (a, b) have no names and cannot be read; name them in the query, as in {'a': a, 'b': b}, or select them as columns",
  );
}

// The library assigns members to a plain object, where a value named __proto__ becomes its prototype, or is lost (seen
// with @duckdb/node-api 1.5.6).
function getMember({ entries }: DuckDBStructValue, name: string): DuckDBValue {
  if (name !== "__proto__") return entries[name]!;
  const member = Object.getPrototypeOf(entries) as DuckDBValue;
  if (member !== Object.prototype) return member;
  throw new AuditlakeError(
    "a member of a struct is named __proto__ and cannot be read; give it another name in the query",
  );
}

function mapText(value: DuckDBMapValue, type: DuckDBType): string {
  const [keyType, valueType] =
    type.typeId === DuckDBTypeId.MAP ? [type.keyType, type.valueType] : [undefined, undefined];
  return writeJsonObject(
    value.entries.map((entry) => [
      String(keyType ? toCell(entry.key, keyType) : entry.key),
      formatInner(entry.value, valueType),
    ]),
  );
}

function formatInner(value: DuckDBValue, type: DuckDBType | undefined): string {
  if (value === null) return "null";
  if (type === undefined) return JSON.stringify(String(value));
  return formatNested(value, type) ?? writeJsonCell(toCell(value, type), classifyType(type));
}

/** The names of columns, each of them once: of two members of one name an object would keep the last alone. */
export function makeDistinct(names: readonly string[]): string[] {
  const distinct = new Set<string>();
  for (const name of names) {
    let own = name;
    for (let n = 1; distinct.has(own); n++) own = `${name}:${n}`;
    distinct.add(own);
  }
  return [...distinct];
}
