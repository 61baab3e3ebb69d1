/** A moment to the second, RFC 3339: `2026-01-31T10:20:30Z`. */
export function secondText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}

/** The same of a moment as it is stored: `2026-01-31 10:20:30.000`. */
export function stampText(stored: string): string {
  return `${stored.replace(" ", "T").replace(/\.\d+$/, "")}Z`;
}
