import { LongBodyError } from "../../base/http/body.ts";
import { type Journal, newJournal } from "../landing/journal.ts";
import { writeManifest } from "../landing/manifests.ts";
import { newPack, type Pack } from "../landing/pack.ts";
import type { LandedPage } from "../landing/store.ts";
import type { NamedSource } from "../../base/home/settings.ts";
import { type AuditPage, readWindow } from "../source/audits.ts";
import type { Client } from "../source/client.ts";
import type { Ending } from "../source/ending.ts";
import { isUnserved } from "../source/faults.ts";
import type { World } from "../../base/world.ts";
import type { Fetch, GivenUp, LandResult } from "./fetch.ts";
import type { Plan } from "./plan.ts";
import {
  confirmEnd,
  type LandedRange,
  isWithinRange,
  buildManifest,
  buildReadId,
  listTimes,
  withHalfPages,
} from "./confirm-end.ts";
import type { Interval } from "../../base/time/periods.ts";

/**
 * Reads one window and stores every page before anything is loaded. The returned manifest is durable, so the read
 * survives a crash. A fetch with a page that the service does not serve leaves nothing. Throws ClockError before
 * anything is stored if this machine's clock is wrong, since it decides which read is the newest.
 */
export async function landWindow(
  client: Client,
  plan: Plan,
  task: Fetch,
  world: World,
): Promise<LandResult> {
  let hasStarted = false;
  let first: AuditPage | undefined;
  const seePage = (page: AuditPage): void => {
    hasStarted = true;
    if (page.records > 0) first ??= page;
  };
  try {
    return await landFetch(client, plan, task, seePage, world);
  } catch (fault) {
    if (!isUnserved(fault)) throw fault;
    return { givenUp: { ...readBeginning(first, plan, task), fault, hasStarted } };
  }
}

async function landFetch(
  client: Client,
  plan: Plan,
  task: Fetch,
  onPage: (page: AuditPage) => void,
  world: World,
): Promise<LandResult> {
  const readAtMs = world.now();
  let serverTimeMs: number | undefined;
  let isChecked = false;
  const seePage = (page: AuditPage): void => {
    onPage(page);
    serverTimeMs ??= page.serverTimeMs;
    if (!isChecked) plan.checkClock(serverTimeMs);
    isChecked = true;
  };
  const readId = buildReadId(plan.runId, task.window, task.round, plan.source.window);
  const journal = newJournal(plan.landing, readId);
  const pack = newPacker(plan, readId, journal);
  const inParts = await pack((take) => landParts(client, plan, task, take, seePage));
  const landed = inParts ?? (await pack((take) => landWhole(client, plan, task, take, seePage)));
  if ("givenUp" in landed) return landed;
  try {
    const ended = await confirmEnd(client, plan, task, landed.ranges);
    const came = { readAtMs, serverTimeMs, pages: landed.pages, ended };
    const manifest = buildManifest(plan, task, came);
    await writeManifest(plan.landing, manifest);
    journal.end();
    return { manifest };
  } catch (error) {
    plan.held.drop(readId);
    throw error;
  }
}

type Ranges = { readonly ranges: readonly LandedRange[] };
type PackedRanges = Ranges & { readonly pages: readonly LandedPage[] };

type Take = Pack["add"];

// An abandoned read leaves no page, neither on the disk nor in memory.
function newPacker({ landing, held }: Plan, readId: string, journal: Journal) {
  return async <Other extends object | undefined>(
    land: (take: Take) => Promise<Ranges | Other>,
  ): Promise<PackedRanges | Other> => {
    await using pack = newPack(landing, journal);
    let isWhole = false;
    try {
      const landed = await land(async (bytes, format, part) => {
        const page = await pack.add(bytes, format, part);
        held.add(readId, page.sha256, bytes);
        return page;
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

// Undefined where the window cannot be split, or a part gave records outside itself: then the range is ignored, or rounded.
async function landParts(
  client: Client,
  plan: Plan,
  task: Fetch,
  add: Take,
  see: (page: AuditPage) => void,
): Promise<Ranges | undefined> {
  const { source } = plan;
  const { window, confirming } = task;
  const splitMs = confirming?.splitMs;
  if (splitMs === undefined || source.audits.window_params === null) return undefined;
  const ranges: LandedRange[] = [];
  const isTooMuch = newLimit(plan, task);
  const halves = [
    { startMs: window.startMs, endMs: splitMs },
    { startMs: splitMs, endMs: window.endMs },
  ];
  for (const [part, range] of halves.entries()) {
    const take: Take = (bytes, format) => add(bytes, format, part);
    const lookAtPage = (page: AuditPage): boolean => (see(page), isTooMuch(page));
    const landed = await landRange(client, source, range, { take, see: lookAtPage, judges: true });
    if (landed === undefined || !landed.isInside) return undefined;
    ranges.push(landed);
  }
  return { ranges };
}

async function landWhole(
  client: Client,
  plan: Plan,
  task: Fetch,
  add: Take,
  see: (page: AuditPage) => void,
): Promise<Ranges | { readonly givenUp: GivenUp }> {
  const isTooMuch = newLimit(plan, task);
  let first: AuditPage | undefined;
  const lookAtPage = (page: AuditPage): boolean => {
    see(page);
    if (page.records > 0) first ??= page;
    return isTooMuch(page);
  };
  const source = withHalfPages(plan, task.confirming);
  const taking = { take: add, see: lookAtPage, judges: false };
  try {
    const landed = await landRange(client, source, task.window, taking);
    return landed === undefined
      ? { givenUp: readBeginning(first, plan, task) }
      : { ranges: [landed] };
  } catch (error) {
    // If we request a page size, the error recommends a smaller one.
    const { style, size_param: size } = source.audits.paging;
    const isSized = style !== "none" && size !== null;
    if (task.maySplit && error instanceof LongBodyError && !isSized)
      return { givenUp: readBeginning(first, plan, task) };
    throw error;
  }
}

// True for the page that is more than one fetch may hold, where it may be split in time.
function newLimit({ source: { limits } }: Plan, { maySplit }: Fetch): SeePage {
  const mostPages = Math.max(1, Math.min(limits.read_pages, limits.max_pages - 1));
  let pages = 0;
  let bytes = 0;
  return (page) => {
    if (page.records === 0) return false;
    if (maySplit && (pages >= mostPages || bytes >= limits.read_bytes)) return true;
    pages += 1;
    bytes += page.bytes.length;
    return false;
  };
}

/** Sees each page before it is landed, the empty ones too; returns true where the range is to be given up. */
type SeePage = (page: AuditPage) => boolean;

/** Handlers for the pages of a range; `judges` enables the check of their times. */
type PageHandlers = { readonly take: Pack["add"]; readonly see: SeePage; readonly judges: boolean };

// Reads a range, whose pages go to `take`; undefined where `seePage` gave it up.
async function landRange(
  client: Client,
  source: NamedSource,
  range: Interval,
  { take, see, judges }: PageHandlers,
): Promise<LandedRange | undefined> {
  let ending: Ending | undefined;
  let isInside = true;
  const noteEnding = (end: Ending): void => void (ending = end);
  for await (const page of readWindow(client, source, range, noteEnding)) {
    if (see(page)) return undefined;
    if (page.records === 0) continue;
    if (judges) isInside &&= isWithinRange(listTimes(page, source), range);
    await take(page.bytes, page.format);
  }
  return { range, ending: ending!, isInside };
}

function readBeginning(page: AuditPage | undefined, { source }: Plan, { window }: Fetch): GivenUp {
  if (page === undefined) return { firstPage: undefined, isInside: false };
  const times = listTimes(page, source);
  const isInside = !times.includes(undefined) && isWithinRange(times, window);
  return { firstPage: page.digest, isInside };
}
