import { createHash } from "node:crypto";
import type { SourceConfig } from "../../schemas/config.ts";
import { AuditlakeError } from "../errors.ts";
import { areAllEqual } from "../records/each.ts";
import type { OpenedPage } from "./open-page.ts";
import { styleOf, type Position } from "./paging.ts";

/** Stops a read that would ask for the same pages for ever. */
export type LoopGuard = {
  /** Throws AuditlakeError for a position that was asked for before, or one too many. */
  readonly enter: (position: Position) => void;
  /** Returns the digest of the page's records; throws AuditlakeError where positions turn out to be ignored. */
  readonly see: (page: OpenedPage) => Promise<string>;
};

// A service whose cursors change while its pages stay the same leads nowhere. Only a burst of equal records has equal
// pages, too, and ends earlier. A page of different records may be sent again where a service was asked twice, but not
// more often than this.
const mostEqualPages = 1000;
const mostUnlikePages = 2;

/** A guard for one range; `isBeyondEmpty` asks far beyond the end, once, where a page comes twice. */
export function newLoopGuard(
  { paging, window_params: names, records_at: recordsAt }: SourceConfig["audits"],
  maxPages: number,
  isBeyondEmpty: () => Promise<boolean>,
): LoopGuard {
  const isNumbered = styleOf(paging).goesBy === "number";
  const tokens = new Set<string>();
  const digests = new Set<string>();
  let equalPages = 0;
  const isTooOften = (page: OpenedPage): boolean =>
    equalPages > mostEqualPages || (equalPages > mostUnlikePages && !areAllEqual(page, recordsAt));
  const enter = ({ token }: Position): void => {
    if (tokens.size >= maxPages) throw tooMany(maxPages, names === null);
    if (tokens.has(token))
      throw new AuditlakeError(
        `page ${tokens.size} names a next page that was read before, so reading would never end; the window was not stored; check sources.<name>.audits.paging`,
      );
    tokens.add(token);
  };
  // An envelope may carry the moment or a number of the answer, so only the records are compared.
  const see = async (page: OpenedPage): Promise<string> => {
    if (page.records === 0) return "";
    const digest = createHash("sha256").update(page.recordBytes).digest("hex");
    if (digests.has(digest)) {
      equalPages += 1;
      const isLoop = isNumbered ? equalPages === 1 && !(await isBeyondEmpty()) : isTooOften(page);
      if (isLoop)
        throw new AuditlakeError(
          `the service sent the same page twice: it seems to ignore ${paging.style} paging as configured; the window was not stored; check sources.<name>.audits.paging`,
        );
    }
    digests.add(digest);
    return digest;
  };
  return { enter, see };
}

function tooMany(maxPages: number, takesNoWindow: boolean): AuditlakeError {
  const whyWhole = takesNoWindow
    ? "cannot be cut, since sources.<name>.audits.window_params is null"
    : "is not to be cut any further";
  return new AuditlakeError(
    `the window has more than ${maxPages} pages and ${whyWhole}; raise sources.<name>.limits.max_pages`,
  );
}
