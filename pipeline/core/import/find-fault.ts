import { messageOf } from "../../base/errors.ts";
import { PageError } from "../records/error.ts";
import { newTokenizer } from "./tokens.ts";

// Where a text is no JSON. The tokenizer does not tell, so one goes ahead piece by piece, and a second one, a piece
// behind, takes the piece that the first one refuses character by character.

const pieceLength = 16 * 1024;

/** The first place at which a text is no JSON, as an error; undefined where it is JSON, or only ends too early. */
export async function findFault(texts: AsyncIterable<string>): Promise<PageError | undefined> {
  const [ahead, behind] = [newTokenizer(), newTokenizer()];
  let line = 1;
  let column = 1;
  let lastMark = "";
  const step = (character: string): void => {
    column = character === "\n" ? 1 : column + 1;
    if (character === "\n") line += 1;
    if (!/\s/.test(character)) lastMark = character;
  };
  for await (const text of texts)
    for (let at = 0; at < text.length; at += pieceLength) {
      const piece = text.slice(at, at + pieceLength);
      const isTaken = accepts(() => ahead(piece));
      for (const character of piece) {
        if (!isTaken && !accepts(() => behind(character)))
          return faultAt(line, column, lastMark, character);
        step(character);
      }
      if (isTaken) behind(piece);
    }
  return undefined;
}

function accepts(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (!messageOf(error).startsWith("Parser")) throw error;
    return false;
  }
}

function faultAt(line: number, column: number, before: string, character: string): PageError {
  const isTrailing = before === "," && (character === "]" || character === "}");
  const what = isTrailing
    ? `a comma before ${character}; remove it`
    : `unexpected ${JSON.stringify(character)}`;
  return new PageError(
    `the file is no JSON at line ${line}, column ${column}: ${what}; nothing of it was loaded`,
  );
}
