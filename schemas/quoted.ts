/** A text as SQL takes it. */
export function quotedText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A name as SQL takes it. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
