import { AuditlakeError } from "../../errors.ts";
import type { ParamValue, Question } from "../../sql/question.ts";
import { quotedText } from "../../../schemas/quoted.ts";
import { sqlTypes, valueText } from "../../report/values.ts";
import { spacedText } from "../../moments/text.ts";

const types: typeof sqlTypes = { ...sqlTypes, timestamp: "timestamp(3)" };

// Comments and quoted text stay as they are; a parameter is what stands outside of them.
const pieces = /--[^\n]*|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$([a-z_]\w*)/g;

/**
 * A statement whose parameters travel beside it, by place and with their types: values are never a part of its text. Throws
 * AuditlakeError where it uses one that has no value.
 */
export function boundSql(sql: string, values: Question["values"]): string {
  const used: ParamValue[] = [];
  const text = sql.replace(pieces, (piece: string, name: string | undefined) => {
    if (name === undefined) return piece.startsWith("--") ? "" : piece;
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined)
      throw new AuditlakeError(`the SQL uses $${name}, which no "-- param:" line declares`);
    used.push(value);
    return "?";
  });
  const using = used.length === 0 ? "" : ` using ${used.map(literal).join(", ")}`;
  return `execute immediate ${quotedText(text)}${using}`;
}

function literal(param: ParamValue): string {
  const type = types[param.type];
  if (param.value === null) return `cast(null as ${type})`;
  const text = param.type === "timestamp" ? spacedText(valueText(param)) : valueText(param);
  return `cast(${quotedText(text)} as ${type})`;
}
