import { getManyValues, isMany, none } from "stream-chain/defs.js";
import { jsonParser, type Token } from "stream-json/core/parser.js";
import { PageError } from "../records/error.ts";

// Tokens of JSON, one value after the other. They are tokens and not values, so that a number keeps its digits, and a
// key that comes twice both of its values.

/** Takes JSON text piece by piece; undefined means that nothing follows. Throws where it is no JSON. */
export type Tokenizer = (text: string | undefined) => readonly Token[];

export type { Token };

/** A tokenizer at the beginning of a file. */
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
export async function* textsOf(pieces: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const decode = (piece?: Buffer): string => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined }).replaceAll("\u001e", " ");
    } catch {
      throw new PageError(
        "the file is not UTF-8; expected JSON in UTF-8; convert it first, for example with iconv",
      );
    }
  };
  for await (const piece of pieces) yield decode(piece);
  yield decode();
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
    const piece = pieceOf(token);
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

function pieceOf(token: Token): string {
  if (token.name === "keyValue") return `${JSON.stringify(token.value)}:`;
  if (token.name === "stringValue") return JSON.stringify(token.value);
  return token.name === "numberValue" ? token.value : (pieces[token.name] ?? "");
}
