import { AuditlakeError } from "../../base/errors.ts";
import { firstPosition, nextPosition, type Pages, type PageSeen, type Position } from "./paging.ts";

/** What is read page by page, as errors speak of it. */
export type PagedRead = {
  readonly maxPages: number;
  readonly tooMany: string;
  /** What its pages are of, with a blank in front; empty for a window. */
  readonly of: string;
  /** What to look at where paging as configured leads nowhere. */
  readonly advice: string;
};

/**
 * Page after page, until none is named any more. Throws AuditlakeError for a position that was asked for before, since
 * going on would never end, and for one too many.
 */
export async function* readPages<Page extends PageSeen>(
  paging: Pages,
  ask: (position: Position) => Promise<Page>,
  { maxPages, tooMany, of, advice }: PagedRead,
): AsyncGenerator<Page> {
  const tokens = new Set<string>();
  let position: Position | undefined = firstPosition(paging);
  while (position !== undefined) {
    if (tokens.size >= maxPages) throw new AuditlakeError(tooMany);
    if (tokens.has(position.token))
      throw new AuditlakeError(
        `page ${tokens.size}${of} names a next page that was read before, so reading would never end; ${advice}`,
      );
    tokens.add(position.token);
    const page: Page = await ask(position);
    yield page;
    position = nextPosition(paging, position, page);
  }
}

/** The error of a page that comes twice where the position asked for seems to be ignored. */
export function samePage({ style }: Pages, { of, advice }: PagedRead): AuditlakeError {
  return new AuditlakeError(
    `the service sent the same page${of} twice: it seems to ignore ${style} paging as configured; ${advice}`,
  );
}
