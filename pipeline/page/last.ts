import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { dayText } from "../moments/text.ts";
import { isCode, messageOf, UsageError } from "../errors.ts";
import { html, type Markup } from "../html/markup.ts";

const prefix = "auditlake-";
const pageName = /^auditlake-\d{4}-\d{2}-\d{2}\.html$/;
const endPattern =
  /<meta\s+name="auditlake-until"\s+content="([0-9TZ:.-]{20,30})"\s+data-source="([^"]*)"/g;

/** How far the data of each source reaches, milliseconds. */
export type DataEnds = ReadonlyMap<string, number>;

/** The file of a day's page; a second one of the same day takes its place. */
export function pageFile(nowMs: number): string {
  return `${prefix}${dayText(nowMs)}.html`;
}

/** What a page says in its head of how far its data reached, for the page after it. */
export function endsMarkup(ends: DataEnds): Markup[] {
  return [...ends].map(
    ([source, ms]) =>
      html`<meta
        name="auditlake-until"
        content="${new Date(ms).toISOString()}"
        data-source="${source}"
      />`,
  );
}

/**
 * How far the newest page of another day reached; undefined where there is none. One that cannot be read is a warning,
 * and the page before it counts. Throws UsageError where the folder is none.
 */
export function lastEnds(
  folder: string,
  ownFile: string,
  warn: (message: string) => void,
): DataEnds | undefined {
  for (const name of pagesIn(folder, ownFile)) {
    const ends = endsOf(join(folder, name), warn);
    if (ends !== undefined) return ends;
  }
  return undefined;
}

/**
 * The moment from which on something is new, milliseconds: the earliest end, as of then, of the sources that have
 * come further since. A source that stands still makes nothing new.
 */
export function newSince(before: DataEnds, now: DataEnds): number {
  const newest = Math.max(...before.values());
  const moved = [...now].flatMap(([source, ms]) => {
    const end = before.get(source) ?? newest;
    return ms > end ? [end] : [];
  });
  return moved.length === 0 ? newest : Math.min(...moved);
}

// The newest page comes first.
function pagesIn(folder: string, ownFile: string): string[] {
  return namesIn(folder)
    .filter((name) => pageName.test(name) && name < ownFile)
    .toSorted()
    .toReversed();
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isCode(error, "ENOENT")) return [];
    if (!isCode(error, "ENOTDIR"))
      throw new UsageError(`cannot read ${folder}: ${messageOf(error)}`);
    throw new UsageError(`${folder} is no folder; --out expects the folder of the pages`);
  }
}

function endsOf(path: string, warn: (message: string) => void): DataEnds | undefined {
  try {
    const found = [...readFileSync(path, "utf8").matchAll(endPattern)];
    const ends = found.map(([, text, source]) => [source!, Date.parse(text!)] as const);
    const known = ends.filter(([, ms]) => !Number.isNaN(ms));
    if (known.length > 0) return new Map(known);
    warn(`${path} does not say how far it reached; ${counted}`);
  } catch (error) {
    warn(`${path} cannot be read (${messageOf(error)}); ${counted}`);
  }
  return undefined;
}

const counted = "what is new is counted from the page before it, else from a day ago";
