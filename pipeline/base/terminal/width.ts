const wide =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\u4DBF\u4E00-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}/u;

/** Returns the number of terminal columns that the text takes. */
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

/** Cuts the text at its end to a width; `…` marks the cut. */
export function clipped(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  return `${firstColumns([...text], width - 1)}…`;
}

/** Cuts the text in the middle to a width, so that both ends of an e-mail address stay: `rosa.ol…ple.com`. */
export function shortened(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  const characters = [...text];
  const tail = Math.max(0, Math.floor((width - 1) / 2));
  const head = firstColumns(characters, width - 1 - tail);
  return `${head}…${lastColumns(characters, tail)}`;
}

function firstColumns(characters: readonly string[], width: number): string {
  let [text, used] = ["", 0];
  for (const character of characters) {
    used += characterWidth(character);
    if (used > width) break;
    text += character;
  }
  return text;
}

function lastColumns(characters: readonly string[], width: number): string {
  let [text, used] = ["", 0];
  for (const character of characters.toReversed()) {
    used += characterWidth(character);
    if (used > width) break;
    text = character + text;
  }
  return text;
}
