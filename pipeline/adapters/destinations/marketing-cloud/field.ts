import type { FieldAnswer } from "../../../../schemas/connectors/marketing-cloud-answers.ts";
import {
  parseColumnOptions,
  type ColumnType,
} from "../../../../schemas/connectors/column-options.ts";
import type { MarketingCloud } from "../../../../schemas/connectors/marketing-cloud.ts";
import { UsageError } from "../../../base/errors.ts";
import type { WithName } from "../../../outgoing/targets/destination.ts";
import type { Column } from "../../../base/rows/row.ts";

export type Field = {
  readonly name: string;
  /** In capitals. */
  readonly type: string;
  readonly length: number | undefined;
  readonly scale: number | undefined;
  readonly isKey: boolean;
  readonly isNullable: boolean;
  readonly hasDefault: boolean;
};

export function toField(answer: FieldAnswer): Field {
  return {
    name: answer.name,
    type: answer.type.toUpperCase(),
    length: answer.length ?? undefined,
    scale: answer.scale ?? undefined,
    isKey: answer.isPrimaryKey,
    isNullable: answer.isNullable && !answer.isPrimaryKey,
    hasDefault: (answer.defaultValue ?? "") !== "",
  };
}

type Type = Pick<Field, "type" | "length" | "scale">;

const longestText = 4000;
const lengths: Partial<Record<ColumnType, number>> = {
  TEXT: longestText,
  EMAILADDRESS: 254,
  PHONE: 50,
  LOCALE: 5,
};

/**
 * The fields of a data extension to create: types from column_options, else from the columns of the result. The primary
 * column is a number or text of primary_text_length (seed 002, A).
 */
export function newFields(target: MarketingCloud, columns: readonly Column[]): Field[] {
  const options = new Map(
    parseColumnOptions(target.column_options).map((option) => [option.column, option]),
  );
  return columns.map((column) => {
    const isKey = column.name === target.primary_column?.trim();
    const chosen = options.get(column.name);
    const type: Type =
      chosen === undefined
        ? chooseType(column)
        : {
            type: chosen.type,
            length:
              chosen.length ?? lengths[chosen.type] ?? (chosen.type === "DECIMAL" ? 18 : undefined),
            scale: chosen.scale ?? (chosen.type === "DECIMAL" ? 0 : undefined),
          };
    return {
      name: column.name,
      ...(isKey ? chooseKeyType(type, target.primary_text_length) : type),
      isKey,
      isNullable: !isKey,
      hasDefault: false,
    };
  });
}

// Seed 002, A, console inputs: the primary column is Long or Text.
function chooseKeyType({ type }: Type, textLength: number): Type {
  return type === "NUMBER"
    ? { type, length: undefined, scale: undefined }
    : { type: "TEXT", length: textLength, scale: undefined };
}

function chooseType({ kind, type }: Column): Type {
  if (kind === "boolean") return newPlainType("BOOLEAN");
  if (kind === "time" && /^(DATE|TIMESTAMP)/.test(type)) return newPlainType("DATE");
  return kind === "number"
    ? chooseNumberType(type)
    : { ...newPlainType("TEXT"), length: longestText };
}

function chooseNumberType(type: string): Type {
  const [, precision, scale] = /^DECIMAL\((\d+),\s*(\d+)\)$/.exec(type) ?? [];
  if (precision !== undefined)
    return { type: "DECIMAL", length: Number(precision), scale: Number(scale) };
  // A float has no fixed number of decimal places; ten are stored.
  return /^(FLOAT|DOUBLE)$/.test(type)
    ? { type: "DECIMAL", length: 38, scale: 10 }
    : newPlainType("NUMBER");
}

function newPlainType(type: ColumnType): Type {
  return { type, length: undefined, scale: undefined };
}

/** Throws UsageError on too few fields for synchronous insertion (seed 002, Errors, rule 2). */
export function checkFieldCount(target: WithName<MarketingCloud>, count: number): void {
  const fault = describeFieldCount(target, count);
  if (fault !== undefined) throw fault;
}

/** Describes an invalid number of fields; undefined if valid. */
export function describeFieldCount(
  target: WithName<MarketingCloud>,
  count: number,
): UsageError | undefined {
  if (target.async || count >= 2) return undefined;
  return new UsageError(
    `target ${target.name}: data extension ${JSON.stringify(target.de_name)} has fewer than 2 fields, which synchronous insertion does not support; add a column, or set async`,
  );
}
