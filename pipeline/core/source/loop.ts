import type { SourceConfig } from "../../../schemas/config.ts";
import { hasId } from "../records/each.ts";
import { isBurst } from "../records/burst.ts";
import type { OpenedPage } from "./open-page.ts";
import { styleOf } from "./paging.ts";
import { samePage, type PagedRead } from "./read-pages.ts";
import { sha256Of } from "../../base/home/sha256.ts";

type Audits = SourceConfig["audits"];

// A service whose cursors change while its pages stay the same leads nowhere. Bursts of equal records within one second
// have equal pages, too, and end earlier. Any other page may be sent again where a service was asked twice, but not more
// often than this. Where the order is not that of time, records without an id from several seconds make equal pages now
// and then, and new ones oftener.
const mostEqualPages = 1000;
const mostUnlikePages = 2;

/**
 * Looks at the pages of one window: returns the digest of a page's records, and throws AuditlakeError where positions
 * turn out to be ignored. `isBeyondEmpty` asks far beyond the end, once, where a page comes twice.
 */
export function newLoopGuard(
  { paging, records_at: recordsAt }: Audits,
  reading: PagedRead,
  isBeyondEmpty: () => Promise<boolean>,
): (page: OpenedPage) => Promise<string> {
  const isNumbered = styleOf(paging).goesBy === "number";
  const digests = new Set<string>();
  let equalPages = 0;
  let unlikePages = 0;
  const isTooOften = (page: OpenedPage): boolean => {
    if (equalPages > mostEqualPages) return true;
    if (isBurst(page, recordsAt)) return false;
    unlikePages += 1;
    if (unlikePages <= mostUnlikePages) return false;
    return unlikePages > digests.size || hasId(page, recordsAt);
  };
  // An envelope may carry the moment or a number of the answer, so only the records are compared.
  return async (page) => {
    if (page.records === 0) return "";
    const digest = sha256Of(page.recordBytes);
    if (digests.has(digest)) {
      equalPages += 1;
      const isLoop = isNumbered ? equalPages === 1 && !(await isBeyondEmpty()) : isTooOften(page);
      if (isLoop) throw samePage(paging, reading);
    }
    digests.add(digest);
    return digest;
  };
}

/** A window as errors of paging speak of it. */
export function windowReading({ window_params: names }: Audits, maxPages: number): PagedRead {
  const whyWhole =
    names === null
      ? "cannot be split, since sources.<name>.audits.window_params is null"
      : "is not to be split any further";
  return {
    maxPages,
    tooMany: `the window has more than ${maxPages} pages and ${whyWhole}; raise sources.<name>.limits.max_pages`,
    of: "",
    advice: "the window was not stored; check sources.<name>.audits.paging",
  };
}
