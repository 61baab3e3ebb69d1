import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { dayText } from "../../base/time/text.ts";
import { isCode, messageOf, UsageError } from "../../base/errors.ts";
import { html, type Markup } from "../../base/html/markup.ts";

const prefix = "auditlake-";
const pageName = /^auditlake-\d{4}-\d{2}-\d{2}\.html$/;
const endPattern =
  /<meta\s+name="auditlake-until"\s+content="([0-9TZ:.-]{20,30})"\s+data-source="([^"]*)"(?:\s+data-read="([0-9TZ:.-]{20,30})")?/g;

/** A moment of each source, milliseconds. */
export type Moments = ReadonlyMap<string, number>;

/** How far the data of a page reaches, by the clock of each service, and when each was read, by that of this machine. */
export type Reached = { readonly ends: Moments; readonly reads: Moments };

/** The file of a day's page; a second one of the same day takes its place. */
export function pageFile(nowMs: number): string {
  return `${prefix}${dayText(nowMs)}.html`;
}

/** What a page says in its head of how far its data reached, for the page after it. */
export function endsMarkup({ ends, reads }: Reached): Markup[] {
  return [...ends].map(([source, ms]) => {
    const readMs = reads.get(source);
    const until = new Date(ms).toISOString();
    return readMs === undefined
      ? html`<meta name="auditlake-until" content="${until}" data-source="${source}" />`
      : html`<meta
          name="auditlake-until"
          content="${until}"
          data-source="${source}"
          data-read="${new Date(readMs).toISOString()}"
        />`;
  });
}

/**
 * How far the newest page of another day reached; undefined where there is none. One that cannot be read is a warning,
 * and the page before it counts. Throws UsageError where the folder is none.
 */
export function lastEnds(
  folder: string,
  ownFile: string,
  warn: (message: string) => void,
): Reached | undefined {
  for (const name of pagesIn(folder, ownFile)) {
    const reached = reachedBy(join(folder, name), warn);
    if (reached !== undefined) return reached;
  }
  return undefined;
}

/**
 * The moment from which on something is new, milliseconds: the earliest end, as of then, of the sources that have
 * come further since. What arrived since of an earlier time is new, too. A source that stands still makes nothing new.
 */
export function newSince(before: Moments, now: Moments, arrived: readonly number[]): number {
  const newest = Math.max(...before.values());
  const moved = [...now].flatMap(([source, ms]) => {
    const end = before.get(source) ?? newest;
    return ms > end ? [end] : [];
  });
  return Math.min(...arrived, ...(moved.length === 0 ? [newest] : moved));
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

function reachedBy(path: string, warn: (message: string) => void): Reached | undefined {
  try {
    const found = [...readFileSync(path, "utf8").matchAll(endPattern)];
    const ends = momentsIn(found.map(([, text, source]) => [source!, text]));
    if (ends.size > 0)
      return { ends, reads: momentsIn(found.map(([, , source, read]) => [source!, read])) };
    warn(`${path} does not say how far it reached; ${counted}`);
  } catch (error) {
    warn(`${path} cannot be read (${messageOf(error)}); ${counted}`);
  }
  return undefined;
}

function momentsIn(
  texts: readonly (readonly [source: string, text: string | undefined])[],
): Moments {
  const all = texts.map(([source, text = ""]) => [source, Date.parse(text)] as const);
  return new Map(all.filter(([, ms]) => !Number.isNaN(ms)));
}

const counted = "what is new is counted from the page before it, else from a day ago";
