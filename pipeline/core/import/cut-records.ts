import { readAll, checkPiece, type FileBytes } from "./bytes.ts";
import {
  newTokenizer,
  newTokenText,
  decodeTexts,
  type Token,
  type Tokenizer,
  type TokenText,
} from "./tokens.ts";
import { isBeside } from "../records/arrays.ts";
import { PageError } from "../records/error.ts";

// Cuts records out of JSON of any arrangement. The path names the members that lead to them; arrays on the way, and
// consecutive values, are searched. A value that should lead to records and does not is returned as it was written: it
// counts as an unreadable record, and is not lost silently.

/** Takes a token; returns the text of a record where one ends with it. */
export type RecordCutter = (token: Token) => string | undefined;

type Frame = {
  readonly isArray: boolean;
  /** How many members of the path lead here. */
  readonly matched: number;
  /** An element of an array, or a value of the file itself. */
  readonly isElement: boolean;
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
  /** Depth of the walk in a value that is not searched. */
  depth: number;
  /** Where that begins, if it is a record. */
  recordStart: number | undefined;
};

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
  if (isEnd) enterFrame(walk);
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
  // An empty list means that there are no records.
  if (isArray && isEmpty) enterFrame(walk);
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
  if (isOnPath && matched === path.length && token.name === "nullValue") enterFrame(walk);
  return undefined;
}

function enterFrame({ frames, text }: Walk): void {
  for (const frame of frames) frame.isEntered = true;
  text.clear();
}

function giveFrom(walk: Walk, start: number): string {
  const record = walk.text.from(start);
  enterFrame(walk);
  return record;
}

type Place = Pick<Frame, "matched" | "isElement"> & { readonly isOnPath: boolean };

// The position of the next value.
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

/**
 * The records of a file of JSON in any arrangement as pages of lines: values one after the other, lists of lists,
 * several envelopes, records inside of others. `path` names the members that lead to them. Holds no more in memory than
 * a page and a record. Throws where the file is no JSON.
 */
export async function* readArrangedPages(
  file: FileBytes,
  path: readonly string[],
  pageBytes: number,
): AsyncGenerator<Buffer> {
  const tokenize = newTokenizer();
  const cut = newRecordCutter(path);
  let lines = "";
  const take = (text: string | undefined): void => {
    for (const token of tokenize(text)) {
      const record = cut(token);
      if (record !== undefined) lines += `${record}\n`;
    }
  };
  for await (const text of decodeTexts(readAll(file))) {
    take(text);
    if (lines.length < pageBytes) continue;
    yield Buffer.from(lines);
    lines = "";
  }
  take(undefined);
  if (lines !== "") yield Buffer.from(lines);
}

// Where the records of a file are, by the objects at its beginning that look like some.

type SeenArray = { readonly path: readonly string[]; hasTime: boolean; hasName: boolean };
type Level = { readonly isArray: boolean; readonly path: readonly string[]; key: string };

const enoughObjects = 200;
const mostMembers = 6;

/**
 * The members that lead to the records, by the beginning of a text, cut anywhere; undefined where nothing looks like
 * records. Throws PageError where they may be in several places.
 */
export function findRecordPath(head: string): readonly string[] | undefined {
  const all = lookAt(head);
  const both = all.filter(({ hasTime, hasName }) => hasTime && hasName);
  const [first, ...others] = findOutermost(both.length > 0 ? both : all);
  if (others.length === 0) return first?.path;
  const names = [first!, ...others].map(({ path }) => path.join(".") || "the top").join(", ");
  throw new PageError(
    `the file has records in several places: ${names}; name one with --records-at`,
  );
}

/** The members below those of the records that lead to objects with an `event_name`, by the beginning of a text. */
export function findNamedPath(head: string): readonly string[] | undefined {
  const named = lookAt(head).filter(({ path, hasName }) => hasName && path.length > 0);
  return findOutermost(named)[0]?.path;
}

function lookAt(head: string): SeenArray[] {
  const seen = new Map<string, SeenArray>();
  try {
    forEachToken(newTokenizer(), head, newSearch(seen));
  } catch {
    // Later faults are found when the file is read.
  }
  return [...seen.values()];
}

class EnoughSeen extends Error {}

function forEachToken(tokenize: Tokenizer, text: string, take: (token: Token) => void): void {
  const pieceLength = 64 * 1024;
  for (let at = 0; at < text.length; at += pieceLength)
    for (const token of tokenize(text.slice(at, at + pieceLength))) take(token);
}

// Records may have others inside.
function findOutermost(seen: readonly SeenArray[]): SeenArray[] {
  return seen.filter(
    ({ path }) =>
      !seen.some(
        (one) => one.path.length < path.length && one.path.every((key, i) => key === path[i]),
      ),
  );
}

function newSearch(seen: Map<string, SeenArray>): (token: Token) => void {
  const levels: Level[] = [];
  let objects = 0;
  const getPath = (): readonly string[] => {
    const level = levels.at(-1);
    if (level === undefined) return [];
    return level.isArray ? level.path : [...level.path, level.key];
  };
  const note = (path: readonly string[], key: string): void => {
    if (path.some(isBeside) || path.length > mostMembers) return;
    const id = JSON.stringify(path);
    const one = seen.get(id) ?? { path, hasTime: false, hasName: false };
    seen.set(id, one);
    if (key === "time") one.hasTime = true;
    else one.hasName = true;
    if ((objects += 1) > enoughObjects) throw new EnoughSeen();
  };
  return (token) => {
    if (token.name === "startObject" || token.name === "startArray")
      levels.push({ isArray: token.name === "startArray", path: getPath(), key: "" });
    else if (token.name === "endObject" || token.name === "endArray") levels.pop();
    else if (token.name === "keyValue") {
      const level = levels.at(-1)!;
      level.key = token.value;
      if (token.value === "time" || token.value === "event_name") note(level.path, token.value);
    }
  };
}
