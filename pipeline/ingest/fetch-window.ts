import { LongBodyError } from "../http/body.ts";
import { type Journal, newJournal } from "../landing/journal.ts";
import { type Ended, writeManifest } from "../landing/manifests.ts";
import { newPack, type Pack } from "../landing/pack.ts";
import type { LandedPage } from "../landing/store.ts";
import type { NamedSource } from "../home/settings.ts";
import type { AuditPage } from "../source/audits.ts";
import type { Client } from "../source/client.ts";
import { formOf } from "../source/ending.ts";
import { styleOf } from "../source/paging.ts";
import type { Traits } from "../store/ledger/traits.ts";
import type { World } from "../world.ts";
import { evidenceOf } from "../load/evidence.ts";
import { manifestOf, partOf, readIdOf } from "./manifest.ts";
import type { Beginning, Confirming, Landing, ReadPlan, ReadTask } from "./task.ts";
import {
  landRange,
  type LandedRange,
  liesInside,
  longerGivesMore,
  type SeePage,
  timesIn,
} from "./fetch-range.ts";

/**
 * Reads one window from the service and lands every page before anything is loaded. The manifest it returns is
 * on disk: from here on the read survives a crash. Throws ClockError before anything is landed where this
 * machine's clock is wrong: what it says decides which read is the newest.
 */
export async function landWindow(
  client: Client,
  plan: ReadPlan,
  task: ReadTask,
  world: World,
): Promise<Landing> {
  const readAtMs = world.now();
  let serverTimeMs: number | undefined;
  let isChecked = false;
  const see = (page: AuditPage): void => {
    serverTimeMs ??= page.serverTimeMs;
    if (!isChecked) plan.checkClock(serverTimeMs);
    isChecked = true;
  };
  const readId = readIdOf(plan.runId, task.window, task.round, plan.source.window);
  const journal = newJournal(plan.landing, readId);
  const pack = packer(plan, readId, journal);
  const inParts = await pack((take) => landParts(client, plan, task, take, see));
  const landed = inParts ?? (await pack((take) => landWhole(client, plan, task, take, see)));
  if ("tooLong" in landed) return landed;
  try {
    const ended = await endedAs(client, plan, task, landed);
    const came = { readAtMs, serverTimeMs, pages: landed.pages, ended };
    const manifest = manifestOf(plan, task, came);
    await writeManifest(plan.landing, manifest);
    journal.end();
    return { manifest };
  } catch (error) {
    plan.held.drop(readId);
    throw error;
  }
}

type Ranges = { readonly ranges: readonly LandedRange[] };
type Packed = Ranges & { readonly pages: readonly LandedPage[] };

type Take = Pack["add"];

// What is given up leaves no page, neither on the disk nor in memory.
function packer({ landing, held }: ReadPlan, readId: string, journal: Journal) {
  return async <Other extends object | undefined>(
    land: (take: Take) => Promise<Ranges | Other>,
  ): Promise<Packed | Other> => {
    await using pack = newPack(landing, journal);
    let isWhole = false;
    try {
      const landed = await land((bytes, format, part) => {
        held.add(readId, bytes);
        return pack.add(bytes, format, part);
      });
      if (landed === undefined || !("ranges" in landed)) return landed;
      const pages = await pack.end();
      isWhole = true;
      return { ...landed, pages };
    } finally {
      if (!isWhole) held.drop(readId);
    }
  };
}

// Undefined where the window cannot be cut, or a part gave records outside itself: then the range is ignored, or rounded.
async function landParts(
  client: Client,
  plan: ReadPlan,
  task: ReadTask,
  add: Take,
  see: (page: AuditPage) => void,
): Promise<Ranges | undefined> {
  const { source } = plan;
  const { window, confirming } = task;
  const cutMs = confirming?.cutMs;
  if (cutMs === undefined || source.audits.window_params === null) return undefined;
  const ranges: LandedRange[] = [];
  const isTooMuch = newLimit(plan, task);
  const halves = [
    { startMs: window.startMs, endMs: cutMs },
    { startMs: cutMs, endMs: window.endMs },
  ];
  for (const [part, range] of halves.entries()) {
    const take: Take = (bytes, format) => add(bytes, format, part);
    const looked = (page: AuditPage): boolean => (see(page), isTooMuch(page));
    const landed = await landRange(client, source, range, { take, see: looked, judges: true });
    if (landed === undefined || !landed.isInside) return undefined;
    ranges.push(landed);
  }
  return { ranges };
}

async function landWhole(
  client: Client,
  plan: ReadPlan,
  task: ReadTask,
  add: Take,
  see: (page: AuditPage) => void,
): Promise<Ranges | { readonly tooLong: Beginning }> {
  const isTooMuch = newLimit(plan, task);
  let first: AuditPage | undefined;
  const looked = (page: AuditPage): boolean => {
    see(page);
    if (page.records > 0) first ??= page;
    return isTooMuch(page);
  };
  const source = withHalfPages(plan, task.confirming);
  const taking = { take: add, see: looked, judges: false };
  try {
    const landed = await landRange(client, source, task.window, taking);
    return landed === undefined
      ? { tooLong: beginningOf(first, plan, task) }
      : { ranges: [landed] };
  } catch (error) {
    // Where we say how much a page holds, a smaller page is what helps, and the error says so.
    const { style, size_param: size } = source.audits.paging;
    const isSized = style !== "none" && size !== null;
    if (task.mayBeCut && error instanceof LongBodyError && !isSized)
      return { tooLong: beginningOf(first, plan, task) };
    throw error;
  }
}

// True for the page that is more than one read may hold, where the read may be cut in time.
function newLimit({ source: { limits } }: ReadPlan, { mayBeCut }: ReadTask): SeePage {
  const mostPages = Math.max(1, Math.min(limits.read_pages, limits.max_pages - 1));
  let pages = 0;
  let bytes = 0;
  return (page) => {
    if (page.records === 0) return false;
    if (mayBeCut && (pages >= mostPages || bytes >= limits.read_bytes)) return true;
    pages += 1;
    bytes += page.bytes.length;
    return false;
  };
}

// While a source was never seen to name a next page, one that is missing shows nothing: half as large a page makes
// it name one.
function withHalfPages(
  { source, traits }: ReadPlan,
  confirming: Confirming | undefined,
): NamedSource {
  const { paging } = source.audits;
  if (!asksForHalf(source, traits, confirming)) return source;
  const size = Math.floor(confirming!.records / 2);
  return { ...source, audits: { ...source.audits, paging: { ...paging, size } } };
}

function asksForHalf(
  { audits: { paging } }: NamedSource,
  { isNextSeen, isHalfAsked }: Traits,
  confirming: Confirming | undefined,
): boolean {
  const names = styleOf(paging).goesBy === "name";
  const records = confirming?.records ?? 0;
  return names && paging.size_param !== null && !isNextSeen && !isHalfAsked && records > 1;
}

async function endedAs(
  client: Client,
  plan: ReadPlan,
  { window, confirming }: ReadTask,
  { ranges }: Ranges,
): Promise<Ended> {
  const { source, traits } = plan;
  const isWhole = ranges.length === 1;
  const { window_params: takesWindow } = source.audits;
  const { paging } = (isWhole ? withHalfPages(plan, confirming) : source).audits;
  const ended = {
    form: formOf(source.audits),
    size: paging.size_param === null || styleOf(paging).goesBy === "nothing" ? null : paging.size,
    whole: paging.whole,
    retention_ms: source.retention ?? null,
    half_asked: isWhole && asksForHalf(source, traits, confirming),
    longer: false,
    parts: ranges.map(partOf),
  };
  const isOpen = confirming !== undefined && isWhole && takesWindow !== null;
  if (!isOpen || evidenceOf(ended, traits).length > 0) return ended;
  return {
    ...ended,
    longer: await longerGivesMore(client, source, window, ended.parts[0]!.records),
  };
}

function beginningOf(
  page: AuditPage | undefined,
  { source }: ReadPlan,
  { window }: ReadTask,
): Beginning {
  if (page === undefined) return { firstPage: undefined, isInside: false };
  const times = timesIn(page, source);
  const isInside = !times.includes(undefined) && liesInside(times, window);
  return { firstPage: page.digest, isInside };
}
