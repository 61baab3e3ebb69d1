const quotedOrComment =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\$(\w*)\$[\s\S]*?\$\1\$|;/g;

/** One statement without the semicolon at its end; those in text and comments stay. */
export function withoutTerminator(sql: string): string {
  return sql.replace(quotedOrComment, (part) => (part === ";" ? "" : part));
}
