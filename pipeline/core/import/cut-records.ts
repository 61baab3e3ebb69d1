import { checkPiece } from "./bytes.ts";
import { newTokenText, type Token, type TokenText } from "./tokens.ts";

// Cuts records out of JSON of any arrangement. The path names the members that lead to them; arrays on the way, and
// values one after the other, are gone through. What should lead to records and does not is given out as it is: it
// counts as a record that cannot be read, and is not lost in silence.

/** Takes a token; returns the text of a record where one ends with it. */
export type RecordCutter = (token: Token) => string | undefined;

type Frame = {
  readonly isArray: boolean;
  /** How many members of the path lead here. */
  readonly matched: number;
  /** An element of an array, or a value of the file itself. */
  readonly isElement: boolean;
  /** Where its text begins. */
  readonly start: number;
  /** Whether the end of the path was reached inside, or something was given out. */
  isEntered: boolean;
  isEmpty: boolean;
  key: string;
};

type Walk = {
  readonly path: readonly string[];
  readonly frames: Frame[];
  readonly text: TokenText;
  /** How deep the walk is in a value that is not gone through. */
  depth: number;
  /** Where that begins, if it is a record. */
  recordStart: number | undefined;
};

/** A cutter at the beginning of a file. */
export function newRecordCutter(path: readonly string[]): RecordCutter {
  const walk: Walk = { path, frames: [], text: newTokenText(), depth: 0, recordStart: undefined };
  const { frames, text } = walk;
  return (token) => {
    const record = take(walk, token);
    if (walk.depth === 0 && frames.every(({ isEntered }) => isEntered)) text.clear();
    checkPiece(text.length());
    return record;
  };
}

function take(walk: Walk, token: Token): string | undefined {
  const { frames, text, depth } = walk;
  if (depth > 0) return takeInside(walk, token);
  if (isClosing(token)) return close(walk, token);
  const frame = frames.at(-1);
  if (frame !== undefined) frame.isEmpty = false;
  if (isOpening(token)) open(walk, token);
  else if (token.name !== "keyValue") return takeScalar(walk, token);
  else {
    frame!.key = token.value;
    text.add(token);
  }
  return undefined;
}

function open(walk: Walk, token: Token): void {
  const { frames, text, path } = walk;
  const { isOnPath, matched, isElement } = placeIn(frames.at(-1), path);
  const isArray = token.name === "startArray";
  const isEnd = isOnPath && matched === path.length;
  if (isEnd) enter(walk);
  const start = text.length();
  text.add(token);
  if (isOnPath && (isArray || !isEnd))
    frames.push({ isArray, matched, isElement, start, isEntered: isEnd, isEmpty: true, key: "" });
  else {
    walk.depth = 1;
    walk.recordStart = isEnd ? start : undefined;
  }
}

function close(walk: Walk, token: Token): string | undefined {
  const { frames, text } = walk;
  text.add(token);
  const { isArray, isEmpty, isEntered, isElement, start } = frames.pop()!;
  // A list without elements says that there are no records.
  if (isArray && isEmpty) enter(walk);
  return isEntered || isArray || !isElement ? undefined : giveFrom(walk, start);
}

function takeInside(walk: Walk, token: Token): string | undefined {
  walk.text.add(token);
  if (isOpening(token)) walk.depth += 1;
  else if (isClosing(token)) walk.depth -= 1;
  const { depth, recordStart } = walk;
  return depth > 0 || recordStart === undefined ? undefined : giveFrom(walk, recordStart);
}

function takeScalar(walk: Walk, token: Token): string | undefined {
  const { frames, text, path } = walk;
  const { isOnPath, matched, isElement } = placeIn(frames.at(-1), path);
  const start = text.length();
  text.add(token);
  if (isElement) return giveFrom(walk, start);
  // An empty list of some languages.
  if (isOnPath && matched === path.length && token.name === "nullValue") enter(walk);
  return undefined;
}

function enter({ frames, text }: Walk): void {
  for (const frame of frames) frame.isEntered = true;
  text.clear();
}

function giveFrom(walk: Walk, start: number): string {
  const record = walk.text.from(start);
  enter(walk);
  return record;
}

type Place = Pick<Frame, "matched" | "isElement"> & { readonly isOnPath: boolean };

// Where a value stands that comes next.
function placeIn(frame: Frame | undefined, path: readonly string[]): Place {
  if (frame === undefined) return { isOnPath: true, matched: 0, isElement: true };
  const { isArray, matched, key } = frame;
  if (isArray) return { isOnPath: true, matched, isElement: true };
  return { isOnPath: key === path[matched], matched: matched + 1, isElement: false };
}

function isOpening({ name }: Token): boolean {
  return name === "startObject" || name === "startArray";
}

function isClosing({ name }: Token): boolean {
  return name === "endObject" || name === "endArray";
}
