import { getManyValues, isMany, none } from "stream-chain/defs.js";
import { jsonParser, type Token } from "stream-json/core/parser.js";
import { PageError } from "../records/error.ts";
import { getMessage } from "../../base/errors.ts";

// Tokens of JSON, one value after the other. They are tokens and not values, so that a number keeps its digits, and a
// key that comes twice both of its values.

/** Takes JSON text piece by piece; undefined means that nothing follows. Throws where it is no JSON. */
export type Tokenizer = (text: string | undefined) => readonly Token[];

export type { Token };

export function newTokenizer(): Tokenizer {
  const parse = jsonParser({ packValues: true, streamValues: false, jsonStreaming: true });
  return (text) => {
    const given = parse(text ?? (none as unknown as string));
    return isMany(given) ? getManyValues(given) : [];
  };
}

/**
 * The text of bytes in UTF-8, piece by piece. The separator of RFC 7464, which no JSON has inside, comes as a blank.
 * Throws PageError where they are something else.
 */
export async function* decodeTexts(pieces: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const decodePiece = (piece?: Buffer): string => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined }).replaceAll("\u001e", " ");
    } catch {
      throw new PageError(
        "the file is not UTF-8; expected JSON in UTF-8; convert it first, for example with iconv",
      );
    }
  };
  for await (const piece of pieces) yield decodePiece(piece);
  yield decodePiece();
}

/** JSON text made of tokens, as compact as can be. */
export type TokenText = {
  readonly add: (token: Token) => void;
  readonly length: () => number;
  readonly from: (start: number) => string;
  readonly clear: () => void;
};

/** Begins an empty text. */
export function newTokenText(): TokenText {
  let text = "";
  const add = (token: Token): void => {
    const piece = formatToken(token);
    const isClosing = token.name === "endObject" || token.name === "endArray";
    const last = text.at(-1);
    const isFirst = last === undefined || last === "{" || last === "[" || last === ":";
    text += isClosing || isFirst ? piece : `,${piece}`;
  };
  return {
    add,
    length: () => text.length,
    // What begins behind another value has a comma before it.
    from: (start) => (text[start] === "," ? text.slice(start + 1) : text.slice(start)),
    clear: () => (text = ""),
  };
}

const pieces: Partial<Record<Token["name"], string>> = {
  startObject: "{",
  endObject: "}",
  startArray: "[",
  endArray: "]",
  nullValue: "null",
  trueValue: "true",
  falseValue: "false",
};

function formatToken(token: Token): string {
  if (token.name === "keyValue") return `${JSON.stringify(token.value)}:`;
  if (token.name === "stringValue") return JSON.stringify(token.value);
  return token.name === "numberValue" ? token.value : (pieces[token.name] ?? "");
}

// Finds the position where a text is no JSON. The tokenizer does not report it, so one goes ahead piece by piece, and a
// second one, a piece behind, reads the piece that the first one rejects character by character.

const pieceLength = 16 * 1024;

/** The first place at which a text is no JSON, as an error; undefined where it is JSON, or only ends too early. */
export async function findFault(texts: AsyncIterable<string>): Promise<PageError | undefined> {
  const [ahead, behind] = [newTokenizer(), newTokenizer()];
  let line = 1;
  let column = 1;
  let lastMark = "";
  const stepOver = (character: string): void => {
    column = character === "\n" ? 1 : column + 1;
    if (character === "\n") line += 1;
    if (!/\s/.test(character)) lastMark = character;
  };
  for await (const text of texts)
    for (let at = 0; at < text.length; at += pieceLength) {
      const piece = text.slice(at, at + pieceLength);
      const isTaken = isAccepted(() => ahead(piece));
      for (const character of piece) {
        if (!isTaken && !isAccepted(() => behind(character)))
          return newFaultAt(line, column, lastMark, character);
        stepOver(character);
      }
      if (isTaken) behind(piece);
    }
  return undefined;
}

function isAccepted(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (!getMessage(error).startsWith("Parser")) throw error;
    return false;
  }
}

function newFaultAt(line: number, column: number, before: string, character: string): PageError {
  const isTrailing = before === "," && (character === "]" || character === "}");
  const what = isTrailing
    ? `a comma before ${character}; remove it`
    : `unexpected ${JSON.stringify(character)}`;
  return new PageError(
    `the file is not valid JSON at line ${line}, column ${column}: ${what}; no record of it was loaded`,
  );
}
