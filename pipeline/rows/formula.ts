// A first character that a spreadsheet takes for a formula, also behind spaces and invisible characters, which some of
// them skip. So is any control character in front.
const formula = /^(?:\p{Cc}|[\p{Z}\p{Cc}\p{Cf}]*[=+\-@|%＝＋－＠])/u;

/**
 * Text that a spreadsheet shows and never runs: a leading apostrophe where it would be a formula.
 * Wider than the escaping of csv-stringify, which lets a line feed, spaces and NUL in front pass.
 */
export function withoutFormula(text: string): string {
  return formula.test(text) ? `'${text}` : text;
}
