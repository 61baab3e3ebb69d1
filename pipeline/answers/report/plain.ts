import type { ParamValue } from "../../base/sql/question.ts";
import { quotedText } from "../../../schemas/quoted.ts";
import type { Report } from "./find.ts";
import { givenParams, missingParams, questionOf } from "./params.ts";
import { sqlTypes, valueText } from "./values.ts";

/**
 * The statement of a report without its header, its defaults written into it: something to begin from. A parameter
 * without a default stays as it is.
 */
export function plainStatement(report: Report, nowMs: number): string {
  const missing = new Set(missingParams(report, new Map()).map(({ name }) => name));
  const params = report.params.filter(({ name }) => !missing.has(name));
  const { values } = questionOf({ ...report, params }, givenParams({}, []), nowMs);
  const body = report.sql.replace(/^(?:--.*\n)+/, "").trim();
  return body.replaceAll(/\$(\w+)/g, (parameter, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return value === undefined ? parameter : literalOf(value);
  });
}

function literalOf(given: ParamValue): string {
  const text = given.value === null ? "null" : quotedText(valueText(given));
  return `cast(${text} as ${sqlTypes[given.type]})`;
}
