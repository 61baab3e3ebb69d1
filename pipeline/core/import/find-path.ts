import { isBeside } from "../records/arrays.ts";
import { PageError } from "../records/error.ts";
import { newTokenizer, type Token, type Tokenizer } from "./tokens.ts";

// Where the records of a file are, by the objects at its beginning that look like some.

type Seen = { readonly path: readonly string[]; hasTime: boolean; hasName: boolean };
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
  const [first, ...others] = outermost(both.length > 0 ? both : all);
  if (others.length === 0) return first?.path;
  const names = [first!, ...others].map(({ path }) => path.join(".") || "the top").join(", ");
  throw new PageError(
    `the file has records in several places: ${names}; name one with --records-at`,
  );
}

/** The members below those of the records that lead to objects with an `event_name`, by the beginning of a text. */
export function findNamedPath(head: string): readonly string[] | undefined {
  const named = lookAt(head).filter(({ path, hasName }) => hasName && path.length > 0);
  return outermost(named)[0]?.path;
}

function lookAt(head: string): Seen[] {
  const seen = new Map<string, Seen>();
  try {
    eachToken(newTokenizer(), head, newLook(seen));
  } catch {
    // What is wrong further on is found where the file is read.
  }
  return [...seen.values()];
}

class Enough extends Error {}

function eachToken(tokenize: Tokenizer, text: string, take: (token: Token) => void): void {
  const pieceLength = 64 * 1024;
  for (let at = 0; at < text.length; at += pieceLength)
    for (const token of tokenize(text.slice(at, at + pieceLength))) take(token);
}

// Records may have others inside.
function outermost(seen: readonly Seen[]): Seen[] {
  return seen.filter(
    ({ path }) =>
      !seen.some(
        (one) => one.path.length < path.length && one.path.every((key, i) => key === path[i]),
      ),
  );
}

function newLook(seen: Map<string, Seen>): (token: Token) => void {
  const levels: Level[] = [];
  let objects = 0;
  const pathHere = (): readonly string[] => {
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
    if ((objects += 1) > enoughObjects) throw new Enough();
  };
  return (token) => {
    if (token.name === "startObject" || token.name === "startArray")
      levels.push({ isArray: token.name === "startArray", path: pathHere(), key: "" });
    else if (token.name === "endObject" || token.name === "endArray") levels.pop();
    else if (token.name === "keyValue") {
      const level = levels.at(-1)!;
      level.key = token.value;
      if (token.value === "time" || token.value === "event_name") note(level.path, token.value);
    }
  };
}
