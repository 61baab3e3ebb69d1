import type { SourceConfig } from "../../../schemas/config.ts";
import type { PageFormat } from "../records/format.ts";
import type { Client } from "./client.ts";
import { type Ending, newWatch } from "./ending.ts";
import { type OpenedPage, openPage } from "./open-page.ts";
import {
  findFirstPosition,
  buildNumberedPosition,
  type PagedRead,
  type Position,
  readPages,
  newSamePageError,
  getStyle,
} from "./paging.ts";
import { MissingError } from "./faults.ts";
import type { Interval } from "../../base/time/periods.ts";
import { hasId } from "../records/each.ts";
import { isBurst } from "../records/burst.ts";
import { computeSha256 } from "../../base/home/durable.ts";

/** One whole page as the service sent it; it may be empty. */
export type AuditPage = {
  readonly bytes: Buffer;
  readonly format: PageFormat;
  readonly records: number;
  readonly serverTimeMs: number | undefined;
  /** Of the records alone; empty pages share one. */
  readonly digest: string;
};

type Audits = SourceConfig["audits"];

/**
 * Reads a window page by page (`GET /v4/audits`, seed 001, Endpoints), and returns how it ended. Incomplete pages are
 * requested again. A repeated cursor stops the window with an error, since it would never end; so do repeated pages if
 * the service ignores the requested position.
 */
export async function* readWindow(
  client: Pick<Client, "get">,
  { audits, limits }: Pick<SourceConfig, "audits" | "limits">,
  window: Interval,
  ended: (ending: Ending) => void = () => undefined,
): AsyncGenerator<AuditPage> {
  const ask = (position: Position): Promise<OpenedPage> => askFor(client, audits, window, position);
  const reading = planWindowReading(audits, limits.max_pages);
  const guard = newLoopGuard(audits, reading, () => isBeyondEmpty(audits, ask));
  const watch = newWatch(audits);
  for await (const page of readPages(audits.paging, ask, reading)) {
    const digest = await guard(page);
    watch.see(page);
    const { bytes, format, records, serverTimeMs } = page;
    yield { bytes, format, records, serverTimeMs, digest };
  }
  ended(watch.ending());
}

/** The first page of a range; nothing of it is followed. */
export function askOnce(
  client: Client,
  { audits }: Pick<SourceConfig, "audits">,
  window: Interval,
): Promise<OpenedPage> {
  return askFor(client, audits, window, findFirstPosition(audits.paging));
}

async function askFor(
  client: Pick<Client, "get">,
  audits: Audits,
  window: Interval,
  { address, parameters, token }: Position,
): Promise<OpenedPage> {
  try {
    return await client.get(
      address ?? audits.path,
      { ...buildWindowParameters(audits, window), ...parameters },
      (answer) => openPage(answer, audits),
      listOpenedStatuses(audits, token),
    );
  } catch (error) {
    const isFirst = token === findFirstPosition(audits.paging).token;
    if (!isFirst || !(error instanceof MissingError)) throw error;
    const advice =
      "if the service returns 404 for a time without events, set sources.<name>.audits.empty_status to [404]";
    throw new MissingError(`${error.message}; ${advice}`, error.serverTimeMs);
  }
}

// What answers a cursor that the service has handed out, with 404 for instance, is no empty range: the cursor expired.
function listOpenedStatuses({ paging, empty_status: empty }: Audits, token: string): number[] {
  const isNamed = getStyle(paging).goesBy === "name" && token !== findFirstPosition(paging).token;
  return isNamed ? [200, 204] : [200, 204, ...empty];
}

// A page that comes twice is either complete, a burst of equal records, or the sign that the position is ignored. One
// request far beyond the end decides.
async function isBeyondEmpty(
  { paging }: Audits,
  ask: (position: Position) => Promise<OpenedPage>,
): Promise<boolean> {
  try {
    const { records } = await ask(buildNumberedPosition(paging, farBeyond));
    return records === 0;
  } catch (error) {
    if (error instanceof MissingError) return true;
    throw error;
  }
}

const farBeyond = 100_000_000;

/** The parameters that ask for a window; none where the service takes none. */
export function buildWindowParameters(
  { window_params: names }: Audits,
  window: Interval,
): Record<string, string> {
  if (names === null) return {};
  const formatMoment = (ms: number): string =>
    names.form === "iso8601" ? new Date(ms).toISOString() : String(ms / 1000);
  // Whole seconds, including the window's last one: records outside a window are stored all the same.
  const startMs = Math.floor(window.startMs / 1000) * 1000;
  const endMs = Math.ceil(window.endMs / 1000) * 1000;
  return { [names.from]: formatMoment(startMs), [names.to]: formatMoment(endMs) };
}

// A service whose cursors change while its pages stay the same never ends. Bursts of equal records within one second
// also have equal pages, but end earlier. A service that was requested twice may repeat any other page, but not more
// often than this. If the order is not by time, records without an id of several seconds sometimes make equal pages,
// and new pages more often.
const mostEqualPages = 1000;
const mostUnlikePages = 2;

/**
 * Checks the pages of one window: returns the digest of a page's records, and throws AuditlakeError if the service
 * ignores positions. `isBeyondEmpty` requests a page far beyond the end, once, when a page is repeated.
 */
export function newLoopGuard(
  { paging, records_at: recordsAt }: SourceConfig["audits"],
  reading: PagedRead,
  isBeyondEmpty: () => Promise<boolean>,
): (page: OpenedPage) => Promise<string> {
  const isNumbered = getStyle(paging).goesBy === "number";
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
    const digest = computeSha256(page.recordBytes);
    if (digests.has(digest)) {
      equalPages += 1;
      const isLoop = isNumbered ? equalPages === 1 && !(await isBeyondEmpty()) : isTooOften(page);
      if (isLoop) throw newSamePageError(paging, reading);
    }
    digests.add(digest);
    return digest;
  };
}

/** A window as errors of paging speak of it. */
export function planWindowReading(
  { window_params: names }: SourceConfig["audits"],
  maxPages: number,
): PagedRead {
  const whyWhole =
    names === null
      ? "cannot be split, since sources.<name>.audits.window_params is null"
      : "cannot be split further";
  return {
    maxPages,
    tooMany: `the window has more than ${maxPages} pages and ${whyWhole}; raise sources.<name>.limits.max_pages`,
    of: "",
    advice: "the window was not stored; check sources.<name>.audits.paging",
  };
}
