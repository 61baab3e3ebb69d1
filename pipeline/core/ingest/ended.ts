import { AuditlakeError, exitCode } from "../../base/errors.ts";
import type { NamedSource } from "../../base/home/settings.ts";
import type { Ended } from "../landing/manifests.ts";
import { evidenceOf } from "../load/evidence.ts";
import { askOnce } from "../source/audits.ts";
import type { Client } from "../source/client.ts";
import { formOf } from "../source/ending.ts";
import type { OpenedPage } from "../source/open-page.ts";
import { firstPosition, nextPosition, styleOf } from "../source/paging.ts";
import type { Traits } from "../store/ledger/traits.ts";
import { liesInside, timesIn } from "./inside.ts";
import { partOf } from "./manifest.ts";
import type { LandedRange, FetchPlan, FetchTask } from "./task.ts";
import type { Interval } from "../../base/time/periods.ts";
import type { Confirmable } from "../store/ledger/confirming.ts";

/**
 * The source, asked for pages of half the records where that shows more. While it was never seen to name a next page,
 * one that is missing shows nothing. Half as large a page makes it name one.
 */
export function withHalfPages(
  { source, traits }: FetchPlan,
  confirming: Confirmable | undefined,
): NamedSource {
  const { paging } = source.audits;
  if (!asksForHalf(source, traits, confirming)) return source;
  const size = Math.floor(confirming!.records / 2);
  return { ...source, audits: { ...source.audits, paging: { ...paging, size } } };
}

function asksForHalf(
  { audits: { paging } }: NamedSource,
  { isNextSeen, isHalfAsked }: Traits,
  confirming: Confirmable | undefined,
): boolean {
  const names = styleOf(paging).goesBy === "name";
  const records = confirming?.records ?? 0;
  return names && paging.size_param !== null && !isNextSeen && !isHalfAsked && records > 1;
}

/** How a fetch came to its end, as its manifest has it; where nothing else shows that end, a longer range is asked for. */
export async function endedAs(
  client: Client,
  plan: FetchPlan,
  { window, confirming }: FetchTask,
  ranges: readonly LandedRange[],
): Promise<Ended> {
  const { source, traits } = plan;
  const isWhole = ranges.length === 1;
  const { window_params: takesWindow } = source.audits;
  const ignored = source.audits.ignore_signs.filter((sign) => sign === "unreadable");
  const { paging } = (isWhole ? withHalfPages(plan, confirming) : source).audits;
  const ended = {
    form: formOf(source.audits),
    size: paging.size_param === null || styleOf(paging).goesBy === "nothing" ? null : paging.size,
    whole: paging.whole,
    retention_ms: source.retention ?? null,
    half_asked: isWhole && asksForHalf(source, traits, confirming),
    longer: false,
    ...(ignored.length > 0 ? { ignored } : {}),
    parts: ranges.map(partOf),
  };
  const isOpen = confirming !== undefined && isWhole && takesWindow !== null;
  if (!isOpen || evidenceOf(ended, traits).length > 0) return ended;
  return {
    ...ended,
    longer: await longerGivesMore(client, source, window, ended.parts[0]!.records),
  };
}

// Whether one request over a longer range around a window shows that the window's own answer was not cut off. It gives
// more records, the window's among them, or names a next page where that answer named none. What cannot be asked shows
// nothing.
async function longerGivesMore(
  client: Client,
  source: NamedSource,
  { startMs, endMs }: Interval,
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
  { startMs, endMs }: Interval,
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
