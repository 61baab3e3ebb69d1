import type { Plan } from "./plan.ts";

/** The record a request begins with: how many of the window come before it. */
export function computeOffset({ manners, source }: Plan, url: URL): number {
  const text = url.searchParams.get("page");
  if (manners.style === "none" || text === null) return 0;
  const size = Math.min(manners.pageCap, Number(url.searchParams.get("per_page") ?? Infinity));
  if (manners.style === "page") return (Number(text) - source.audits.paging.first) * size;
  return Number(text.replace(/^[ce]/, ""));
}

/** Whether a request asks so far beyond the end that it is no step of a walk. */
export function isFarBeyond(offset: number): boolean {
  return offset >= 10_000_000;
}

/** What an answer says of the page after it. */
export type Next = {
  readonly inBody: string | number | null | undefined;
  readonly link: string | undefined;
  /** Whether a reader has everything with this page. */
  readonly isEnd: boolean;
  /** Whether the page names itself as the next one. */
  readonly isOwn: boolean;
};

type Place = {
  readonly offset: number;
  readonly size: number;
  readonly total: number;
  /** An empty page, from which a cursor leads on. */
  readonly isGap: boolean;
  /** Whether the page is to name itself. */
  readonly isOwn: boolean;
};

/** The page after this one, said in the way of the style. */
export function buildNext({ manners, source }: Plan, url: URL, place: Place): Next {
  const { offset, size, total, isGap } = place;
  const after = offset + size;
  const isMore = after < total || isGap;
  const nothing = { inBody: undefined, link: undefined, isOwn: false };
  switch (manners.style) {
    case "none":
      return { ...nothing, isEnd: true };
    case "page":
    case "offset": {
      // In these styles a reader continues until a page is empty, if nothing else ends it.
      if (!manners.saysEnd || manners.format !== "envelope")
        return { ...nothing, isEnd: offset >= total };
      const next = manners.style === "page" ? after / size + source.audits.paging.first : after;
      return { ...nothing, inBody: isMore ? next : null, isEnd: !isMore };
    }
    case "cursor":
    case "next_url":
    case "link_header": {
      const own = url.searchParams.get("page");
      const isOwn = place.isOwn && isMore && own !== null;
      const cursor = isOwn ? own : isGap ? `e${offset}` : `c${after}`;
      return { ...buildAddress(manners.style, url, isMore ? cursor : null), isEnd: !isMore, isOwn };
    }
  }
}

function buildAddress(
  style: "cursor" | "next_url" | "link_header",
  url: URL,
  cursor: string | null,
): Pick<Next, "inBody" | "link"> {
  if (style === "cursor") return { inBody: cursor, link: undefined };
  const next = new URL(url);
  if (cursor !== null) next.searchParams.set("page", cursor);
  const address = cursor === null ? null : next.pathname + next.search;
  return style === "next_url"
    ? { inBody: address, link: undefined }
    : { inBody: undefined, link: address ?? undefined };
}
