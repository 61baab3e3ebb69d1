import type { Paging } from "../../schemas/config.ts";
import { PageError } from "../records/error.ts";
import { valueAt } from "../records/signs.ts";
import { followed } from "../http/address.ts";
import { linkTo } from "./link.ts";

/** Where in a window the next request stands. */
export type Position = {
  /** Differs from position to position; seen twice it means a loop. */
  readonly token: string;
  /** Address of the next page, where the service gives one. */
  readonly address?: URL;
  readonly parameters: Readonly<Record<string, string>>;
};

/** What of a page decides about the next one. */
export type PageSeen = {
  readonly records: number;
  readonly envelope: unknown;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Where the page came from; the address of the next one may be relative to it. */
  readonly url: string;
};

/** The first request of a window. */
export function firstPosition(paging: Paging): Position {
  if (paging.style === "page") return numberedPosition(paging, paging.first);
  if (paging.style === "offset") return numberedPosition(paging, 0);
  // A service's own cursor is never empty.
  return { token: "", parameters: paging.style === "none" ? {} : sizeOf(paging) };
}

/**
 * The request after a page, or undefined when the window is read to its end; throws PageError where the page
 * says neither, AuditlakeError where the next page is said to be at another origin.
 */
export function nextPosition(paging: Paging, now: Position, page: PageSeen): Position | undefined {
  switch (paging.style) {
    case "page":
      return isLast(paging, page) ? undefined : numberedPosition(paging, Number(now.token) + 1);
    case "offset":
      return isLast(paging, page)
        ? undefined
        : numberedPosition(paging, Number(now.token) + page.records);
    case "cursor": {
      const cursor = nextAt(paging, page.envelope);
      return cursor === undefined
        ? undefined
        : { token: cursor, parameters: { [paging.param]: cursor, ...sizeOf(paging) } };
    }
    case "next_url":
      return addressed(page, nextAt(paging, page.envelope));
    case "link_header":
      return addressed(page, linkTo("next", page.headers["link"]));
    case "none":
      return undefined;
  }
}

/** The request for a page by its number, or by how many records stand before it. */
export function numberedPosition(paging: Paging, number: number): Position {
  return {
    token: String(number),
    parameters: { [paging.param]: String(number), ...sizeOf(paging) },
  };
}

function sizeOf(paging: Paging): Record<string, string> {
  return paging.size_param === null ? {} : { [paging.size_param]: String(paging.size) };
}

// Services cap page sizes, so a short page is not the last; an empty one is, or a next page that is null.
function isLast(paging: Paging, page: PageSeen): boolean {
  return (
    page.records === 0 ||
    (paging.next_at !== null && valueAt(page.envelope, paging.next_at) === null)
  );
}

function nextAt(paging: Paging, envelope: unknown): string | undefined {
  if (paging.next_at === null) return undefined;
  const value = valueAt(envelope, paging.next_at);
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string" || typeof value === "number") return String(value);
  throw new PageError(
    `${paging.next_at} of the body is neither text nor a number; check paging.next_at of the source`,
  );
}

function addressed(page: PageSeen, link: string | undefined): Position | undefined {
  if (link === undefined) return undefined;
  const address = followed(page.url, link);
  return { token: address.href, address, parameters: {} };
}
