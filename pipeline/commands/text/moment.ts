/** A moment to the second, RFC 3339: `2026-01-31T10:20:30Z`. */
export function secondText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}
