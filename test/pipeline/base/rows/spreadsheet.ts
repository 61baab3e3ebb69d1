import fc from "fast-check";

// What a spreadsheet may run, stated in another way than the code states it.

const separatorsAndTriggers = "=+-@|%＝＠'\",;\t\r\n\0 ";
const invisible = "\u00a0\u200b\u2028\u202e\ufeff";

/** Text as attackers choose it: triggers, separators, line ends, quotes and invisible characters, in any order. */
export const hostileText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme" }),
  fc.string({
    unit: fc.constantFrom(...separatorsAndTriggers, ...invisible, "a", "1", "é", "😀", "\u0301"),
    maxLength: 10,
  }),
);

const listSeparators = [";", ",", "\t", "|"];
const isInvisible = (character: string): boolean =>
  /[\p{Z}\p{C}"]/u.test(character) && !/\p{Cn}|\p{Co}/u.test(character);

function beginsFormula(cell: string): boolean {
  const visible = [...cell].find((character) => !isInvisible(character));
  return visible !== undefined && "=+-@|%＝＋－＠".includes(visible);
}

/** Lists cells that may run if a file is split at one separator or another, or at all of them, with any quoting. */
export function liveCells(file: string, own = ","): string[] {
  const all = new Set([...listSeparators, own]);
  const ways = [...[...all].map((separator) => new Set([separator, own])), all];
  return ways.flatMap((separators) => {
    const cells = [""];
    for (const character of file)
      if (separators.has(character) || character === "\r" || character === "\n") cells.push("");
      else cells.push(cells.pop()! + character);
    return cells.filter((cell) => beginsFormula(cell) && !/^-?\d+(\.\d+)?$/.test(cell));
  });
}

/** Whether a written text is the given one with apostrophes that begin a cell, and nothing else. */
export function isGuarded(written: string, given: string, own = ","): boolean {
  let at = 0;
  let before: string | undefined;
  for (const character of written) {
    const opens = before === undefined || `${listSeparators.join("")}${own}\r\n`.includes(before);
    if (given.startsWith(character, at)) at += character.length;
    else if (character !== "'" || !opens) return false;
    before = character;
  }
  return at === given.length;
}
