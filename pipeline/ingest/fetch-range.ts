import { AuditlakeError, exitCode } from "../errors.ts";
import type { Pack } from "../landing/pack.ts";
import { timesOf } from "../records/times.ts";
import { askOnce, readWindow, type AuditPage, type Window } from "../source/audits.ts";
import type { Client } from "../source/client.ts";
import type { Ending } from "../source/ending.ts";
import type { OpenedPage } from "../source/open-page.ts";
import { firstPosition, nextPosition, styleOf } from "../source/paging.ts";
import type { NamedSource } from "../home/settings.ts";

/** One range, asked for from its first page to its last. */
export type LandedRange = {
  readonly range: Window;
  readonly ending: Ending;
  /** Whether all records that show a time lie in the range, edges included. */
  readonly isInside: boolean;
};

/** Sees each page before it is landed, the empty ones too; returns true where the range is to be given up. */
export type SeePage = (page: AuditPage) => boolean;

/** What becomes of the pages of a range; with `judges` their times are looked at. */
type Taking = { readonly take: Pack["add"]; readonly see: SeePage; readonly judges: boolean };

/** Reads a range, whose pages go to `take`; undefined where `see` gave it up. */
export async function landRange(
  client: Client,
  source: NamedSource,
  range: Window,
  { take, see, judges }: Taking,
): Promise<LandedRange | undefined> {
  let ending: Ending | undefined;
  let isInside = true;
  const noted = (end: Ending): void => void (ending = end);
  for await (const page of readWindow(client, source, range, noted)) {
    if (see(page)) return undefined;
    if (page.records === 0) continue;
    if (judges) isInside &&= liesInside(timesIn(page, source), range);
    await take(page.bytes, page.format);
  }
  return { range, ending: ending!, isInside };
}

/** Whether the times that are known lie in a range; both edges count, since some services include the last second. */
export function liesInside(times: readonly (number | undefined)[], range: Window): boolean {
  const { startMs, endMs } = wholeSeconds(range);
  return times.every((ms) => ms === undefined || (ms >= startMs && ms <= endMs));
}

/** The times of the records on a page, as far as they show one. */
export function timesIn(
  { bytes, format }: Pick<AuditPage, "bytes" | "format">,
  { audits }: NamedSource,
): (number | undefined)[] {
  return timesOf(bytes, format, audits.records_at);
}

/**
 * Whether one request over a longer range around a window gives more records, those of the window among them, or names
 * a next page where the window's own answer named none: then that answer was not cut off. What cannot be asked shows
 * nothing.
 */
export async function longerGivesMore(
  client: Client,
  source: NamedSource,
  { startMs, endMs }: Window,
  records: number,
): Promise<boolean> {
  const lengthMs = endMs - startMs;
  const around = [
    { startMs: startMs - lengthMs, endMs },
    { startMs, endMs: endMs + lengthMs },
  ];
  for (const range of around) {
    const page = await askOnce(client, source, range).catch(orNothing);
    if (page === undefined) continue;
    if (page.records > 0 && namesNextPage(source, page)) return true;
    const own = timesIn(page, source).filter((ms) => liesInside([ms ?? -1], { startMs, endMs }));
    if (page.records > records && own.length >= records) return true;
  }
  return records > 0 && holdsItsEndAlone(client, source, { startMs, endMs });
}

function namesNextPage({ audits: { paging } }: NamedSource, page: OpenedPage): boolean {
  if (styleOf(paging).goesBy !== "name") return false;
  return nextPosition(paging, firstPosition(paging), page) !== undefined;
}

// Some services include the end of a range. Where nothing else came, the range without it shows that the window is
// empty: it is the shorter one, and gives none.
async function holdsItsEndAlone(
  client: Client,
  source: NamedSource,
  { startMs, endMs }: Window,
): Promise<boolean> {
  const page = await askOnce(client, source, { startMs, endMs }).catch(orNothing);
  if (page === undefined || page.records === 0) return false;
  if (timesIn(page, source).some((ms) => ms === undefined || ms < endMs)) return false;
  const before = { startMs, endMs: endMs - 1000 };
  return (await askOnce(client, source, before).catch(orNothing))?.records === 0;
}

function orNothing(error: unknown): undefined {
  if (error instanceof AuditlakeError && error.exitCode !== exitCode.refused) return undefined;
  throw error;
}

function wholeSeconds({ startMs, endMs }: Window): Window {
  return { startMs: Math.floor(startMs / 1000) * 1000, endMs: Math.ceil(endMs / 1000) * 1000 };
}
