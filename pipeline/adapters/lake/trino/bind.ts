import { AuditlakeError } from "../../../base/errors.ts";
import type { ParamValue, Question } from "../../../base/sql/question.ts";
import { quotedText } from "../../../../schemas/quoted.ts";
import { sqlTypes, valueText } from "../../../answers/report/values.ts";
import { spacedText } from "../../../base/time/text.ts";
import { piecesOf, textOf } from "./pieces.ts";

const types: typeof sqlTypes = { ...sqlTypes, timestamp: "timestamp(3)" };

/**
 * A statement whose parameters travel beside it, by place and with their types: values are never a part of its text. Throws
 * AuditlakeError where it uses one that has no value.
 */
export function boundSql(sql: string, values: Question["values"]): string {
  const used: ParamValue[] = [];
  const pieces = piecesOf(sql).map((piece) => {
    if (piece.kind !== "parameter") return piece;
    const name = piece.text.slice(1);
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined)
      throw new AuditlakeError(`the SQL uses $${name}, which no "-- param:" line declares`);
    used.push(value);
    return { ...piece, text: "?" };
  });
  const using = used.length === 0 ? "" : ` using ${used.map(literal).join(", ")}`;
  return `execute immediate ${quotedText(textOf(pieces))}${using}`;
}

function literal(param: ParamValue): string {
  const type = types[param.type];
  if (param.value === null) return `cast(null as ${type})`;
  const text = param.type === "timestamp" ? spacedText(valueText(param)) : valueText(param);
  return `cast(${quotedText(text)} as ${type})`;
}
