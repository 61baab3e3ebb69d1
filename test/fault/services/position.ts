import type { Plan } from "./plan.ts";
import type { Answer } from "./misbehavior.ts";

/** The record that a request begins with: how many come before it; and the size of the page. */
export type Place = {
  readonly offset: number;
  readonly size: number;
  /** Whether it continues a walk, regardless of the offset. */
  readonly isFurther: boolean;
};

/** Reads the position of a request in the way of the service's style. */
export function buildPlace(url: URL, { manners, source }: Plan): Place {
  const { param, size_param: sizeParam, first } = source.audits.paging;
  if (manners.style === "none") return { offset: 0, size: Infinity, isFurther: false };
  const asked = Number((sizeParam && url.searchParams.get(sizeParam)) ?? Infinity);
  const size = manners.obeysSize ? Math.min(manners.pageCap, asked) : manners.pageCap;
  const text = url.searchParams.get(param);
  switch (manners.style) {
    case "page":
      return {
        offset: ((text === null ? first : Number(text)) - first) * size,
        size,
        isFurther: false,
      };
    case "offset":
      return { offset: Number(text ?? 0), size, isFurther: false };
    case "cursor":
    case "next_url":
    case "link_header": {
      const cursor = /^c(\d+)$/.exec(text ?? "")?.[1];
      return { offset: Number(cursor ?? 0), size, isFurther: cursor !== undefined };
    }
  }
}

/** What an answer says of the page after it; undefined where it says nothing. */
export type Next = {
  readonly inBody: { readonly at: string; readonly value: string | number | null } | undefined;
  readonly link: string | undefined;
};

/** The page after an answer, stated in the way of the style, or of the misbehavior. */
export function buildNext({ manners, misbehavior, source }: Plan, own: URL, answer: Answer): Next {
  const { offset, size, shown, page } = answer;
  const after = offset + size;
  const isLed = manners.hasEmptyLast && page.length > 0;
  const isMore =
    misbehavior?.isDumb !== true && (after < shown || (isLed && manners.style !== "none"));
  const { param, next_at: nextAt, first } = source.audits.paging;
  const at = misbehavior?.nextAt ?? nextAt ?? "next_page";
  const nothing = { inBody: undefined, link: undefined };
  const said = (value: string | number | null): Next => {
    if (value === null && manners.end === "absent") return nothing;
    return { inBody: { at, value }, link: undefined };
  };
  switch (manners.style) {
    case "none":
      return nothing;
    case "page":
      return manners.saysNext ? said(after < shown ? after / size + first : null) : nothing;
    case "offset":
      return manners.saysNext ? said(after < shown ? after : null) : nothing;
    case "cursor":
      return said(isMore ? `c${after}` : null);
    case "next_url":
      return said(isMore ? getAddress(own, param, after) : null);
    case "link_header":
      return isMore ? { inBody: undefined, link: getAddress(own, param, after) } : nothing;
  }
}

function getAddress(own: URL, param: string, after: number): string {
  const next = new URL(own);
  next.searchParams.set(param, `c${after}`);
  return after % 2 === 0 ? next.href : next.pathname + next.search;
}
