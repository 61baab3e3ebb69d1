import { closestNames } from "../../base/closest-names.ts";
import { quotedStart } from "../../base/printable.ts";
import type { Query } from "./search.ts";

/**
 * What is wrong with an address that names fields which its page does not have; undefined where there are none. An
 * answer to less than was asked looks like one to all of it.
 */
export function unknownFields(query: Query, known: readonly string[]): string | undefined {
  const given = Object.keys(query).filter((name) => query[name] !== "");
  const unknown = given.filter((name) => !known.includes(name));
  if (unknown.length === 0) return undefined;
  const [first] = unknown as [string];
  const [near] = closestNames(first, known);
  const advice =
    near === undefined ? `expected ${known.join(", ") || "none"}` : `did you mean ${near}?`;
  return `the address names ${unknown.map(quotedStart).join(", ")}, which this page does not have; ${advice}`;
}
