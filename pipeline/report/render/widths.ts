import type { Column } from "../result.ts";

const wide =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\u4DBF\u4E00-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}/u;
const narrowest = 6;

/** Columns that the text takes on a terminal. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

function characterWidth(character: string): number {
  if (character <= "~") return 1;
  if (/\p{M}/u.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

/** The text cut to a width, with `…` in place of what is missing. */
export function clipped(text: string, width: number): string {
  if (text.length <= width && displayWidth(text) <= width) return text;
  if (displayWidth(text) <= width) return text;
  let kept = "";
  let used = 1;
  for (const character of text) {
    used += characterWidth(character);
    if (used > width) break;
    kept += character;
  }
  return `${kept}…`;
}

/**
 * Widths of columns so that a line fits, the widest text giving way first; numbers, times and short
 * text are never cut, so a line of many columns can still be longer than the terminal.
 */
export function fittedWidths(
  columns: readonly Column[],
  natural: readonly number[],
  available: number,
): number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, width) => sum + width, 0) - available;
  while (excess > 0) {
    const index = widestText(columns, widths);
    if (index === undefined) break;
    widths[index]! -= 1;
    excess -= 1;
  }
  return widths;
}

function widestText(columns: readonly Column[], widths: readonly number[]): number | undefined {
  let found: number | undefined;
  for (const [index, width] of widths.entries()) {
    const givesWay = columns[index]!.kind === "text" && width > narrowest;
    if (givesWay && (found === undefined || width > widths[found]!)) found = index;
  }
  return found;
}
