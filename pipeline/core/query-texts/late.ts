import type { Part } from "./part.ts";

/** The same parts, their columns named where the names of the select list are known, too. */
export function markLate(parts: readonly Part[]): Part[] {
  return parts.map((part) => (part.is === "column" ? { ...part, isLate: true } : part));
}

/**
 * Adds to a query what follows it, such as `order by`: that belongs to its block. After a union it names the columns of
 * the result, whose tables are unknown.
 */
export function appendLate(query: readonly Part[], after: readonly Part[]): Part[] {
  const [only, ...others] = query;
  if (only?.is === "block" && others.length === 0)
    return [{ is: "block", parts: [...only.parts, ...markLate(after)] }];
  return [...query, ...after.filter((part) => part.is !== "column")];
}
