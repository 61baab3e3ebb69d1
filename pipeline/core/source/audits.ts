import type { SourceConfig } from "../../../schemas/config.ts";
import type { PageFormat } from "../records/format.ts";
import type { Client } from "./client.ts";
import { type Ending, newWatch } from "./ending.ts";
import { newLoopGuard, windowReading } from "./loop.ts";
import { openPage, type OpenedPage } from "./open-page.ts";
import { firstPosition, numberedPosition, styleOf, type Position } from "./paging.ts";
import { MissingError } from "./faults.ts";
import { readPages } from "./read-pages.ts";
import type { Interval } from "../../base/time/interval.ts";

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
 * Reads a window page by page (`GET /v4/audits`, seed 001, Endpoints), and says at the end how it ended. A page that is
 * not whole is asked for again. A cursor seen before stops the window with an error, since going on would never end. So
 * do pages that come twice where the service turns out to ignore the position asked for.
 */
export async function* readWindow(
  client: Pick<Client, "get">,
  { audits, limits }: Pick<SourceConfig, "audits" | "limits">,
  window: Interval,
  ended: (ending: Ending) => void = () => undefined,
): AsyncGenerator<AuditPage> {
  const ask = (position: Position): Promise<OpenedPage> => askFor(client, audits, window, position);
  const reading = windowReading(audits, limits.max_pages);
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
  return askFor(client, audits, window, firstPosition(audits.paging));
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
      { ...windowParameters(audits, window), ...parameters },
      (answer) => openPage(answer, audits),
      openedStatuses(audits, token),
    );
  } catch (error) {
    const isFirst = token === firstPosition(audits.paging).token;
    if (!isFirst || !(error instanceof MissingError)) throw error;
    const advice =
      "if 404 means a time without events there, set sources.<name>.audits.empty_status to [404]";
    throw new MissingError(`${error.message}; ${advice}`, error.serverTimeMs);
  }
}

// What answers a cursor that the service has handed out, with 404 for instance, is no empty range: the cursor expired.
function openedStatuses({ paging, empty_status: empty }: Audits, token: string): number[] {
  const isNamed = styleOf(paging).goesBy === "name" && token !== firstPosition(paging).token;
  return isNamed ? [200, 204] : [200, 204, ...empty];
}

// A page that comes twice is either the whole truth, a burst of equal records, or the sign that the position is
// ignored. One request far beyond the end tells.
async function isBeyondEmpty(
  { paging }: Audits,
  ask: (position: Position) => Promise<OpenedPage>,
): Promise<boolean> {
  try {
    const { records } = await ask(numberedPosition(paging, farBeyond));
    return records === 0;
  } catch (error) {
    if (error instanceof MissingError) return true;
    throw error;
  }
}

const farBeyond = 100_000_000;

/** The parameters that ask for a window; none where the service takes none. */
export function windowParameters(
  { window_params: names }: Audits,
  window: Interval,
): Record<string, string> {
  if (names === null) return {};
  const text = (ms: number): string =>
    names.form === "iso8601" ? new Date(ms).toISOString() : String(ms / 1000);
  // Whole seconds, the window's last one included: records outside a window are kept all the same.
  const startMs = Math.floor(window.startMs / 1000) * 1000;
  const endMs = Math.ceil(window.endMs / 1000) * 1000;
  return { [names.from]: text(startMs), [names.to]: text(endMs) };
}
