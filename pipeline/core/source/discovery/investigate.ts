import type { Paging, SourceConfig } from "../../../../schemas/config.ts";
import { findIdPath, isIdName } from "../../records/identity.ts";
import { type Asker, OutOfRequests } from "./asker.ts";
import { formatSigns, withEnvelopes } from "./envelopes.ts";
import { askFor, type Ground, findGround } from "./ground.ts";
import { type Audits, findWindow, noRecords, type Opening, openLog } from "./opening.ts";
import { tryPaging, type Verdict } from "./proof.ts";
import {
  listIntervals,
  areSameRecords,
  type SeenRecord,
  type Shape,
  selectWithin,
} from "./read-answer.ts";
import { listPagingStyles } from "./paging-styles.ts";
import type { Interval } from "../../../base/time/periods.ts";

/** Results of an investigation; undefined ones are unknown. */
export type Findings = {
  readonly requests: number;
  readonly shape: Shape | undefined;
  /** The configuration that was shown to read whole. */
  readonly audits: Audits | undefined;
  /** How that was shown, or why nothing was. */
  readonly text: string;
  /** What the configuration in force came to; undefined where it was not tried. */
  readonly inForce: Verdict | undefined;
  /** Whether the log is too short for a conclusion. */
  readonly hasTooLittle: boolean;
  /** What seems to name the records, where they have no `id` and the configuration names nothing. */
  readonly idAt: string | undefined;
};

/** A configuration to check, and whether the user wrote it, so that it must be tried. */
export type Suspect = Pick<SourceConfig, "audits" | "limits"> & { readonly isWritten: boolean };

type Notes = {
  shape?: Shape;
  inForce?: Verdict;
  text: string;
  hasTooLittle: boolean;
  idAt?: string | undefined;
};

/**
 * Finds out how a service takes windows and pages, from some small pages of a window with more records. Reports only
 * what the usual reader has read completely, in several pages, with equal results by another way. Throws what the
 * client throws.
 */
export async function investigate(
  asker: Asker,
  suspect: Suspect,
  nowMs: number,
): Promise<Findings> {
  const notes: Notes = { text: "", hasTooLittle: false };
  let audits: Audits | undefined;
  try {
    audits = await findAudits(asker, suspect, nowMs, notes);
  } catch (error) {
    if (!(error instanceof OutOfRequests)) throw error;
    notes.text = "the request limit was reached before a result";
  }
  const { shape, inForce, text, hasTooLittle, idAt } = notes;
  return { requests: asker.requests(), shape, audits, text, inForce, hasTooLittle, idAt };
}

async function findAudits(
  asker: Asker,
  suspect: Suspect,
  nowMs: number,
  notes: Notes,
): Promise<Audits | undefined> {
  const inForce = suspect.audits;
  const opening = await openLog(asker, inForce, nowMs);
  if (typeof opening === "string") return noteTooLittle(notes, opening, opening === noRecords);
  notes.shape = opening.seen.shape;
  const { records } = opening.seen;
  const few = `the service returned too few records: ${records.length}`;
  if (listIntervals(records, 1).length === 0) return noteTooLittle(notes, few);
  const window_params = await findWindow(asker, inForce, opening);
  if (window_params === "unclear" || (window_params === null && opening.needs !== undefined)) {
    const strict = opening.isStrict ? ": the service refuses unknown parameters" : "";
    notes.text = `the window parameters are unknown${strict}`;
    return undefined;
  }
  const blank = { total_at: null, ignore_signs: [] };
  const idAt = inForce.id_at === null ? findIdPath(records.map(({ text }) => text)) : undefined;
  if (idAt !== undefined) notes.idAt = idAt;
  const audits = {
    ...inForce,
    ...blank,
    window_params,
    records_at: opening.seen.recordsAt,
    // Other names need the decision of a person.
    id_at: idAt !== undefined && isIdName(idAt) ? idAt : inForce.id_at,
  };
  const ground = await findGround(asker, audits, opening, nowMs);
  if (ground === undefined) return noteTooLittle(notes, few);
  if (suspect.isWritten) {
    notes.inForce = await tryWritten(asker, ground, opening, suspect);
    if (notes.inForce.is === "whole") {
      notes.text = `${notes.inForce.how}${formatSigns(notes.inForce.reading)}`;
      return inForce;
    }
  }
  const better = await findFirstWhole(asker, ground, opening, suspect, notes);
  return better && (await withLongPages(asker, ground, better, inForce.paging.size));
}

function noteTooLittle(notes: Notes, text: string, hasTooLittle = true): undefined {
  Object.assign(notes, { text, hasTooLittle });
}

// Without window parameters it reads everything, and the first answer showed the start.
function tryWritten(
  asker: Asker,
  ground: Ground,
  { seen }: Opening,
  { audits, limits }: Suspect,
): Promise<Verdict> {
  const small = { ...audits, paging: { ...audits.paging, size: ground.size } };
  const isAll = audits.window_params === null;
  return tryPaging(asker, isAll ? { ...ground, reference: seen.records } : ground, small, limits);
}

async function findFirstWhole(
  asker: Asker,
  ground: Ground,
  { seen }: Opening,
  { audits: inForce, limits }: Suspect,
  notes: Notes,
): Promise<Audits | undefined> {
  const size = { size_param: ground.sizeParam, size: ground.size };
  const unset = { param: "page", first: 1, next_at: null, whole: false };
  const plain: Paging = { ...inForce.paging, ...size, ...unset };
  const why: string[] = [];
  for await (const way of listPagingStyles(asker, ground, seen.envelope, inForce.paging)) {
    const audits = { ...ground.audits, paging: { ...plain, ...way } };
    const verdict = await tryPaging(asker, ground, audits, limits);
    if (verdict.is === "whole") {
      notes.text = `${verdict.how}${formatSigns(verdict.reading)}`;
      return withEnvelopes(audits, verdict.reading);
    }
    why.push(`${way.style ?? ""}: ${verdict.why}`);
  }
  if (why.length > 0) return void (notes.text = why.join("; "));
  const single = await findSingle(asker, ground, plain);
  Object.assign(notes, { text: single.text, hasTooLittle: single.hasTooLittle });
  return single.audits;
}

// The size in force goes out with every run, so the service has to take it; it may be smaller than what was tried.
async function withLongPages(
  asker: Asker,
  { window, audits: { records_at: recordsAt } }: Ground,
  audits: Audits,
  size: number,
): Promise<Audits> {
  const { paging } = audits;
  if (paging.size_param === null || paging.style === "none")
    return { ...audits, paging: { ...paging, size } };
  for (const longer of [size, 100]) {
    try {
      const page = await askFor(asker, { ...audits, records_at: recordsAt }, window, {
        [paging.size_param]: String(longer),
      });
      if (page !== undefined && page.records.length >= Math.min(longer, paging.size))
        return { ...audits, paging: { ...paging, size: longer } };
    } catch (error) {
      if (!(error instanceof OutOfRequests)) throw error;
    }
  }
  return audits;
}

// More than services usually put on a page.
const usualPage = 1000;
const reachMs = 30 * 86_400_000;

/**
 * Whether a service puts everything into one answer. No answer can show that none is ever cut off. One is taken for it
 * that is longer than pages usually are, and the same as the answers for its two parts.
 */
export async function findSingle(
  asker: Asker,
  { audits, window, sizeParam }: Ground,
  paging: Paging,
): Promise<Single> {
  const unknown = { audits: undefined, text: noWay, hasTooLittle: false };
  if (audits.window_params === null || sizeParam !== null) return unknown;
  const wide = { startMs: Math.max(0, window.startMs - reachMs), endMs: window.endMs };
  const ask = async (part: Interval): Promise<readonly SeenRecord[] | undefined> =>
    (await askFor(asker, audits, part, {}))?.records;
  const whole = (await ask(wide)) ?? [];
  const splitMs = computeMedianMs(whole);
  const [older, newer] = [
    await ask({ ...wide, endMs: splitMs }),
    await ask({ ...wide, startMs: splitMs }),
  ];
  if (older === undefined || newer === undefined) return unknown;
  const parts = [...selectWithin(older, { ...wide, endMs: splitMs }), ...newer];
  if (!areSameRecords(parts, whole))
    return { ...unknown, text: `records of its parts are missing from a response, and ${noWay}` };
  if (whole.length <= usualPage)
    return {
      ...unknown,
      hasTooLittle: true,
      text: `all ${whole.length} records came in one response, so it is unknown whether the service pages more than ${usualPage}`,
    };
  return {
    audits: { ...audits, paging: { ...paging, style: "none" } },
    text: `${whole.length} records in one response, the same as in two parts of its range`,
    hasTooLittle: false,
  };
}

type Single = {
  readonly audits: Audits | undefined;
  readonly text: string;
  readonly hasTooLittle: boolean;
};

const noWay =
  "no paging was detected: no Link header, no next cursor or address in the body, no known page or offset parameter";

function computeMedianMs(records: readonly SeenRecord[]): number {
  const times = records
    .flatMap(({ ms }) => (ms === undefined ? [] : [ms]))
    .toSorted((a, b) => a - b);
  return Math.floor((times[times.length >> 1] ?? 0) / 1000) * 1000;
}
