import { isObject } from "../object.ts";

/** The parameter that makes a zod error name the value found and the rule that it breaks. */
export function describeRule(rule: string): {
  error: (issue: { readonly input?: unknown }) => string;
} {
  return { error: ({ input }) => `found ${showValue(input)}; expected ${rule}` };
}

/** A value as an error shows it: JSON, cut where it is long; of an object nothing, since it may hold a credential. */
export function showValue(value: unknown): string {
  if (isObject(value)) return "an object";
  if (Array.isArray(value) && value.some(isObject)) return "a list of objects";
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

type Issue = {
  readonly code?: string;
  readonly keys?: readonly string[];
  readonly input?: unknown;
};

/** The parameter that makes the zod error of an object with fixed keys name those it does not know and those it has. */
export function describeKeys(expected: string): { error: (issue: Issue) => string } {
  return {
    error: ({ code, keys = [], input }) =>
      code === "unrecognized_keys"
        ? `does not know the key ${keys.join(", ")}; expected ${expected}`
        : `found ${showValue(input)}; expected ${expected}`,
  };
}
