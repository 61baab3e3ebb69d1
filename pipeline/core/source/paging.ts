import type { Paging } from "../../../schemas/config.ts";
import { PageError } from "../records/error.ts";
import { readValueAt } from "../records/signs.ts";
import { resolveLink } from "../../base/http/address.ts";
import { linkTo } from "./link.ts";
import { AuditlakeError } from "../../base/errors.ts";

/** How pages are requested; evidence is decided elsewhere. */
export type Pages = Omit<Paging, "whole">;

/** Position of the next request in a window. */
export type Position = {
  /** Differs from position to position; seen twice it means a loop. */
  readonly token: string;
  /** Address of the next page, where the service gives one. */
  readonly address?: URL;
  readonly parameters: Readonly<Record<string, string>>;
};

/** What of a page decides about the next one. */
export type SeenPage = {
  readonly records: number;
  readonly envelope: unknown;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Where the page came from; the address of the next one may be relative to it. */
  readonly url: string;
};

/** A way to go from page to page. */
type Style = {
  /** What leads on: a number that the request itself carries, what the service names, or nothing. */
  readonly goesBy: "number" | "name" | "nothing";
  /** Where the service names the next page; null if it does not. */
  readonly namedIn: "body" | "header";
  readonly first: (paging: Pages) => Position;
  /** Undefined after the last page; throws PageError if the page does not show it. */
  readonly next: (paging: Pages, now: Position, page: SeenPage) => Position | undefined;
};

// A new style is one object here and its name in schemas/config.ts (CONTRIBUTING.md, "A paging style").
const styles: Readonly<Record<Paging["style"], Style>> = {
  page: {
    goesBy: "number",
    namedIn: "body",
    first: (paging) => buildNumberedPosition(paging, paging.first),
    next: (paging, { token }, page) =>
      isLast(paging, page) ? undefined : buildNumberedPosition(paging, Number(token) + 1),
  },
  offset: {
    goesBy: "number",
    namedIn: "body",
    first: (paging) => buildNumberedPosition(paging, 0),
    next: (paging, { token }, page) =>
      isLast(paging, page)
        ? undefined
        : buildNumberedPosition(paging, Number(token) + page.records),
  },
  cursor: {
    goesBy: "name",
    namedIn: "body",
    first: buildUnnumberedPosition,
    next: (paging, _now, { envelope }) => buildCursorPosition(paging, readNextAt(paging, envelope)),
  },
  next_url: {
    goesBy: "name",
    namedIn: "body",
    first: buildUnnumberedPosition,
    next: (paging, _now, page) => followLink(page, readNextAt(paging, page.envelope)),
  },
  link_header: {
    goesBy: "name",
    namedIn: "header",
    first: buildUnnumberedPosition,
    next: (_paging, _now, page) => followLink(page, linkTo("next", page.headers["link"])),
  },
  none: {
    goesBy: "nothing",
    namedIn: "body",
    first: () => ({ token: "", parameters: {} }),
    next: () => undefined,
  },
};

/** What leads from page to page in the configured style, and where the service names the next one. */
export function getStyle({ style }: Pages): Pick<Style, "goesBy" | "namedIn"> {
  return styles[style];
}

/** The first request of a window. */
export function findFirstPosition(paging: Pages): Position {
  return styles[paging.style].first(paging);
}

/**
 * Finds the request after a page, or undefined if the window is read to its end. Throws PageError if the page shows
 * neither, AuditlakeError if the next page is at another origin.
 */
export function findNextPosition(
  paging: Pages,
  now: Position,
  page: SeenPage,
): Position | undefined {
  return styles[paging.style].next(paging, now, page);
}

/** Builds the request for a page by its number, or by the number of records before it. */
export function buildNumberedPosition(paging: Pages, number: number): Position {
  return {
    token: String(number),
    parameters: { [paging.param]: String(number), ...buildSizeParameter(paging) },
  };
}

// A service's own cursor is never empty.
function buildUnnumberedPosition(paging: Pages): Position {
  return { token: "", parameters: buildSizeParameter(paging) };
}

function buildCursorPosition(paging: Pages, cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return undefined;
  return { token: cursor, parameters: { [paging.param]: cursor, ...buildSizeParameter(paging) } };
}

function buildSizeParameter(paging: Pages): Record<string, string> {
  return paging.size_param === null ? {} : { [paging.size_param]: String(paging.size) };
}

// Services cap page sizes, so a short page is not the last; an empty one is, or a next page that is null.
function isLast(paging: Pages, page: SeenPage): boolean {
  return (
    page.records === 0 ||
    (paging.next_at !== null && readValueAt(page.envelope, paging.next_at) === null)
  );
}

function readNextAt(paging: Pages, envelope: unknown): string | undefined {
  if (paging.next_at === null) return undefined;
  const value = readValueAt(envelope, paging.next_at);
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string" || typeof value === "number") return String(value);
  throw new PageError(
    `${paging.next_at} of the body is neither text nor a number; check paging.next_at of the source`,
  );
}

function followLink(page: SeenPage, link: string | undefined): Position | undefined {
  if (link === undefined) return undefined;
  const address = resolveLink(page.url, link);
  return { token: address.href, address, parameters: {} };
}

/** Names of a paged read for error messages. */
export type PagedRead = {
  readonly maxPages: number;
  readonly tooMany: string;
  /** What its pages are of, with a blank in front; empty for a window. */
  readonly of: string;
  /** What to look at where paging as configured leads nowhere. */
  readonly advice: string;
};

/**
 * Yields the pages until the service offers no next page. Throws AuditlakeError for a repeated position, which would
 * never end, and for too many pages.
 */
export async function* readPages<Page extends SeenPage>(
  paging: Pages,
  ask: (position: Position) => Promise<Page>,
  { maxPages, tooMany, of, advice }: PagedRead,
): AsyncGenerator<Page> {
  const tokens = new Set<string>();
  let position: Position | undefined = findFirstPosition(paging);
  while (position !== undefined) {
    if (tokens.size >= maxPages) throw new AuditlakeError(tooMany);
    if (tokens.has(position.token))
      throw new AuditlakeError(
        `page ${tokens.size}${of} refers to a next page that was already read, so reading would never end; ${advice}`,
      );
    tokens.add(position.token);
    const page: Page = await ask(position);
    yield page;
    position = findNextPosition(paging, position, page);
  }
}

/** Builds the error of a repeated page, where the service seems to ignore the requested position. */
export function newSamePageError({ style }: Pages, { of, advice }: PagedRead): AuditlakeError {
  return new AuditlakeError(
    `the service sent the same page${of} twice: it seems to ignore ${style} paging as configured; ${advice}`,
  );
}
