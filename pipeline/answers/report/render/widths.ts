import type { Column } from "../../../base/rows/row.ts";

const wide =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\u4DBF\u4E00-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}/u;

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

/** The least width a column is of use in: text can be cut down to `narrowest`, unless it is typed; the rest not at all. */
export function leastWidths(
  columns: readonly Column[],
  natural: readonly number[],
  narrowest: number,
): number[] {
  return natural.map((width, index) =>
    columns[index]!.kind === "text" && columns[index]!.isTyped !== true
      ? Math.min(width, narrowest)
      : width,
  );
}

/** How many columns stand side by side in the width, counted from the left; the first always does. */
export function fittingColumns(least: readonly number[], gap: number, available: number): number {
  let used = -gap;
  const first = least.findIndex((width) => (used += gap + width) > available);
  return first < 0 ? least.length : Math.max(1, first);
}

/** Widths that add up to the room, the widest giving way first and none below its least. */
export function fittedWidths(
  natural: readonly number[],
  least: readonly number[],
  room: number,
): number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, width) => sum + width, 0) - room;
  while (excess > 0) {
    const index = widest(widths, least);
    if (index === undefined) break;
    widths[index]! -= 1;
    excess -= 1;
  }
  return widths;
}

function widest(widths: readonly number[], least: readonly number[]): number | undefined {
  let found: number | undefined;
  for (const [index, width] of widths.entries()) {
    const givesWay = width > least[index]!;
    if (givesWay && (found === undefined || width > widths[found]!)) found = index;
  }
  return found;
}
