// Cc control, Cf format (zero width, bidi, byte order mark), Zl and Zp line separators, Cs half a surrogate pair. The
// last range is the unassigned rest of the invisible block 2060-206F.
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u2060-\u206F]/gu;

/**
 * Escapes every control, bidi and invisible character as `\uXXXX`, including line breaks, so that text from the log
 * cannot move, recolour or reorder the output of a terminal.
 */
export function escapeControls(text: string): string {
  return text.replace(unsafe, (character) => {
    const hex = character.codePointAt(0)!.toString(16);
    return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, "0")}`;
  });
}

// A look for these is quick, and hardly any text has many.
const beyondAscii = /[\u007F-\uFFFF]+/g;

/**
 * The same for JSON text, where an escape changes nothing of what it means. What takes two units, such as the invisible
 * tags, is escaped as two.
 */
export function escapeJsonControls(json: string): string {
  return json.replace(beyondAscii, (part) => part.replace(unsafe, escapeUnits));
}

function escapeUnits(character: string): string {
  const units = character.split("").map((unit) => unit.charCodeAt(0).toString(16));
  return units.map((hex) => `\\u${hex.padStart(4, "0")}`).join("");
}

/** A value as the JSON document that a verb prints under `--json`: indented, safe to look at in a terminal. */
export function formatJsonDocument(value: unknown): string {
  return `${escapeJsonControls(JSON.stringify(value, null, 2))}\n`;
}

/** The same for text of several lines: they stay lines, and a tab becomes a blank. */
export function escapeLineControls(text: string): string {
  return text.replaceAll("\t", " ").split("\n").map(escapeControls).join("\n");
}

const longest = 80;

/** Text of at most 80 characters; a longer one loses its middle. */
export function shortenMiddle(text: string): string {
  const characters = [...text];
  if (characters.length <= longest) return text;
  const half = (longest - 1) / 2;
  return `${characters.slice(0, Math.ceil(half)).join("")}…${characters.slice(-Math.floor(half)).join("")}`;
}

/** Text in quotes, as an error names it: its beginning alone where it is long. */
export function quoteStart(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
