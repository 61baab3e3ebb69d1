/** The parameter that makes a zod error name the value found and the rule that it breaks. */
export function ruled(rule: string): { error: (issue: { readonly input?: unknown }) => string } {
  return { error: ({ input }) => `found ${shown(input)}; expected ${rule}` };
}

/** A value as an error shows it: JSON, cut where it is long. */
export function shown(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
