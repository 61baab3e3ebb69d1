/** A change of a text: the part from `start` to `end`, in UTF-16 units, is replaced by `instead`. */
export type Change = {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  readonly instead: string;
};

/** A change of a file, by its path from the root of the project. */
export type Mutant = Change & { readonly file: string };

/** The text with one change. */
export function changeText(text: string, { start, end, instead }: Change): string {
  return text.slice(0, start) + instead + text.slice(end);
}

/**
 * Returns the line of a change, without its indentation, and its new text: names a mutant as long as neither changes.
 */
export function listLines(
  text: string,
  change: Change,
): { readonly from: string; readonly to: string } {
  const first = text.lastIndexOf("\n", change.start - 1) + 1;
  const end = text.indexOf("\n", change.end);
  const from = text.slice(first, end === -1 ? undefined : end);
  const line = { ...change, start: change.start - first, end: change.end - first };
  return { from: from.trim(), to: changeText(from, line).trim() };
}

/** The number of the line that a change begins in, from 1. */
export function lineNumber(text: string, { start }: Change): number {
  return text.slice(0, start).split("\n").length;
}
