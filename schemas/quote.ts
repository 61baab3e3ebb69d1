/** A text as SQL takes it. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A name as SQL takes it. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
