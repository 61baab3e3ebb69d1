import { randomInt } from "node:crypto";
import { parse } from "node:path";
import type { SandboxRequest } from "./protocol.ts";

/** A file under a name that no statement can know, its source, and the database in its place. */
export type HiddenSources = {
  readonly file: string;
  readonly source: string;
  readonly inPlace: string;
};

// What texts call such a file. The hidden name is as long, so that a plan keeps its frames.
const hiddenFile = "published_file";

const letters = "abcdefghijklmnopqrstuvwxyz";

/**
 * Chooses names for the file of a request that may see only one source; undefined for a request that sees all. Each
 * process has its own name, so a name leaked by one answer is useless in the next. The usual name opens the restricted
 * database.
 */
export function chooseHidden({ database, source }: SandboxRequest): HiddenSources | undefined {
  if (source === undefined) return undefined;
  const file = Array.from(hiddenFile, () => letters[randomInt(letters.length)]).join("");
  return { file, source, inPlace: parse(database).name };
}

/** A text of an answer, without the hidden name. */
export function withoutName(text: string, hidden: HiddenSources | undefined): string {
  return hidden === undefined ? text : text.replaceAll(hidden.file, hiddenFile);
}
