import { randomInt } from "node:crypto";
import { parse } from "node:path";
import type { SandboxRequest } from "./protocol.ts";

/** A file under a name that no statement can know, the source it is asked of, and the database in its place. */
export type HiddenSources = {
  readonly file: string;
  readonly source: string;
  readonly inPlace: string;
};

// What texts call such a file. The hidden name is as long, so that a plan keeps its frames.
const hiddenFile = "published_file";

const letters = "abcdefghijklmnopqrstuvwxyz";

/**
 * Names for the file of a request that sees one source alone; undefined for one that sees all. Each process has a name of
 * its own, so what one answer gives away is of no use to the next. Whoever names the file as ever finds the other one.
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
