import type { Paging, SourceConfig } from "../../../schemas/config.ts";
import { namesNext, announcesMore, listSigns, readTotal, readValueAt } from "../records/signs.ts";
import { linkTo } from "./link.ts";
import type { OpenedPage } from "./open-page.ts";
import { getStyle } from "./paging.ts";

/** How the reading of a range ended: by a null in the place of the next page, without one, or by a page without records. */
export type EndedBy = "null_next" | "absent_next" | "empty_page" | "only_page";

/** Facts about the reading of a range besides its records. */
export type Ending = {
  readonly records: number;
  readonly by: EndedBy;
  /** The number of all records as the service last gave it; undefined where it gives none. */
  readonly total: number | undefined;
  /** What speaks against the end, by the names that `ignore_signs` takes; those to be ignored are left out. */
  readonly signs: readonly string[];
  /** Records of the last page that has any. */
  readonly lastPage: number;
  /** Records of the smallest page that another one with records followed; undefined where none did. */
  readonly smallestFollowed: number | undefined;
  /** Whether the service named a next page that was followed. */
  readonly isFollowed: boolean;
};

type Audits = SourceConfig["audits"];
type PageLook = Pick<OpenedPage, "records" | "envelope" | "headers" | "looksLikeRecords">;

/** Watches the pages of one range, and reports how it ended. */
export type Watch = {
  readonly see: (page: PageLook) => void;
  readonly ending: () => Ending;
};

/** A watch over the pages of a range, in their order. */
export function newWatch(audits: Audits): Watch {
  const sizes: number[] = [];
  const signs = new Set<string>();
  let pages = 0;
  let total: number | undefined;
  let last: PageLook | undefined;
  const watchPage = (page: PageLook): void => {
    pages += 1;
    last = page;
    if (page.records > 0) sizes.push(page.records);
    total = readTotal(page.envelope, audits.total_at) ?? total;
    for (const sign of listSigns(page.envelope, audits.ignore_signs)) signs.add(sign);
    if (page.records > 0 && !page.looksLikeRecords) signs.add("records");
  };
  const decideEnding = (): Ending => {
    const by = classifyEnd(audits.paging, last);
    const records = sizes.reduce((sum, size) => sum + size, 0);
    if (isNextNamed(audits.paging, by, last)) signs.add("next");
    if (last !== undefined && announcesMore(last.envelope)) signs.add("has_more");
    if (total !== undefined && records < total) signs.add("total");
    if (isNumbered(audits.paging) && areUnequal(sizes)) signs.add("page_sizes");
    return {
      records,
      by,
      total,
      signs: [...signs].filter((sign) => !isIgnored(audits, sign)).sort(),
      lastPage: sizes.at(-1) ?? 0,
      smallestFollowed: sizes.length > 1 ? Math.min(...sizes.slice(0, -1)) : undefined,
      isFollowed: !isNumbered(audits.paging) && pages > 1,
    };
  };
  return { see: watchPage, ending: decideEnding };
}

/** What the answers to two requests have in common: evidence of one form counts for that form. */
export function describeForm({ path, window_params: names, paging, records_at }: Audits): string {
  const { style, param, size_param, next_at } = paging;
  return JSON.stringify([path, names, style, param, size_param, next_at, records_at]);
}

function classifyEnd(paging: Paging, last: PageLook | undefined): EndedBy {
  const { goesBy, namedIn } = getStyle(paging);
  if (goesBy === "nothing") return "only_page";
  if (namedIn === "header") return "absent_next";
  const isNull = paging.next_at !== null && isNothingAt(last?.envelope, paging.next_at);
  if (goesBy === "number") return isNull && last?.records !== 0 ? "null_next" : "empty_page";
  return isNull ? "null_next" : "absent_next";
}

// A null, or empty text, at the path or where it leads through.
function isNothingAt(envelope: unknown, path: string): boolean {
  const keys = path.split(".");
  return keys.some((_, i) => {
    const value = readValueAt(envelope, keys.slice(0, i + 1).join("."));
    return value === null || value === "";
  });
}

// A page number beyond an empty page shows nothing; any other name of a next page was not followed.
function isNextNamed(paging: Paging, by: EndedBy, last: PageLook | undefined): boolean {
  if (last === undefined || by === "empty_page") return false;
  const isLinked = linkTo("next", last.headers["link"]) !== undefined;
  const inHeader = getStyle(paging).namedIn !== "header" && isLinked;
  return inHeader || namesNext(last.envelope);
}

function isNumbered(paging: Paging): boolean {
  return getStyle(paging).goesBy === "number";
}

// By numbers, each page but the last holds as many records as the first, and the last no more: else some were passed.
function areUnequal(sizes: readonly number[]): boolean {
  const [first = 0, ...others] = sizes;
  return others.some((size, i) => size > first || (size < first && i < others.length - 1));
}

function isIgnored({ ignore_signs: ignored }: Audits, sign: string): boolean {
  return (ignored as readonly string[]).includes(sign);
}
