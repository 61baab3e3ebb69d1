import type { SourceConfig } from "../../../../schemas/config.ts";
import { type Asker, OutOfRequests } from "./asker.ts";
import type { Ground } from "./ground.ts";
import type { Audits } from "./opening.ts";
import {
  areSameRecords,
  type SeenAnswer,
  readSeen,
  type SeenRecord,
  selectWithin,
} from "./read-answer.ts";
import type { Interval } from "../../../base/time/periods.ts";
import { AuditlakeError, getMessage } from "../../../base/errors.ts";
import { PageError } from "../../records/error.ts";
import { readWindow } from "../audits.ts";
import type { Client } from "../client.ts";

/** What trying a configuration came to. */
export type Verdict =
  /** It reads whole what was seen otherwise, in several pages. */
  | { readonly is: "whole"; readonly reading: Reading; readonly how: string }
  /** Records are missing or duplicated, or the reading does not end. */
  | { readonly is: "wrong"; readonly why: string }
  /** Undecided: too few pages or requests. */
  | { readonly is: "open"; readonly why: string };

type Limits = SourceConfig["limits"];

const fewestPages = 3;

/** Tries a configuration on the ground, with small pages: it has to read what was seen otherwise. */
export async function tryPaging(
  asker: Asker,
  ground: Ground,
  audits: Audits,
  limits: Limits,
): Promise<Verdict> {
  try {
    return audits.window_params === null
      ? await tryOnAll(asker, ground, audits, limits)
      : await tryOnWindow(asker, ground, audits, limits);
  } catch (error) {
    if (!(error instanceof OutOfRequests)) throw error;
    return { is: "open", why: "the request limit was reached before the end of the read" };
  }
}

async function tryOnWindow(
  asker: Asker,
  { window, reference, isWhole }: Ground,
  audits: Audits,
  limits: Limits,
): Promise<Verdict> {
  const reading = await readBy(asker, audits, limits, window);
  if (reading.fault !== undefined) return { is: "wrong", why: reading.fault };
  const found = selectWithin(reading.records, window);
  const other = isWhole ? reference : await readByParts(asker, audits, limits, window, found);
  const pages = reading.pages.length;
  if (other === undefined) return { is: "open", why: "the parts of the window could not be read" };
  if (!areSameRecords(found, other)) return describeDifference(found, other, window);
  if (pages < fewestPages)
    return {
      is: "open",
      why: `all ${found.length} records came in ${pages === 1 ? "one page" : "two pages"}`,
    };
  const how = isWhole ? "as in one page" : "as in two parts of the range";
  return {
    is: "whole",
    reading,
    how: `${found.length} records in ${pages} pages, the same ${how}`,
  };
}

async function readByParts(
  asker: Asker,
  audits: Audits,
  limits: Limits,
  window: Interval,
  records: readonly SeenRecord[],
): Promise<SeenRecord[] | undefined> {
  const seconds = records.map(({ ms }) => Math.floor(ms! / 1000)).toSorted((a, b) => a - b);
  const splitMs = (seconds[Math.floor(seconds.length / 2)] ?? 0) * 1000;
  if (splitMs <= window.startMs) return undefined;
  const parts = [
    { ...window, endMs: splitMs },
    { ...window, startMs: splitMs },
  ];
  const found: SeenRecord[] = [];
  for (const part of parts) {
    const reading = await readBy(asker, audits, limits, part);
    if (reading.fault !== undefined) return undefined;
    found.push(...selectWithin(reading.records, part));
  }
  return found;
}

// A service that takes no window gives all it has: some small pages show the way, long ones the end.
async function tryOnAll(
  asker: Asker,
  { reference }: Ground,
  audits: Audits,
  limits: Limits,
): Promise<Verdict> {
  const everything = { startMs: 0, endMs: 0 };
  const beginning = await readBy(asker, audits, limits, everything, fewestPages);
  if (beginning.fault !== undefined) return { is: "wrong", why: beginning.fault };
  const shown = beginning.records.slice(0, reference.length);
  if (!shown.every(({ text }, i) => text === reference[i]!.text))
    return { is: "wrong", why: "pages are not consecutive" };
  const pages = beginning.pages.length;
  if (pages < fewestPages) return { is: "open", why: `all records came in ${pages} pages` };
  const long = { ...audits, paging: { ...audits.paging, size: longSize } };
  const all = await readBy(asker, long, limits, everything);
  if (all.fault !== undefined) return { is: "wrong", why: all.fault };
  const texts = new Set(all.records.map(({ text }) => text));
  if (!beginning.records.every(({ text }) => texts.has(text)))
    return { is: "wrong", why: "records of short pages are missing from long pages" };
  return {
    is: "whole",
    reading: all.pages.length > 1 ? all : { ...beginning, isPart: true },
    how: `${all.records.length} records to the end, ${pages} short pages equal to a long one`,
  };
}

const longSize = 1000;

function describeDifference(
  found: readonly SeenRecord[],
  other: readonly SeenRecord[],
  { startMs }: Interval,
): Verdict {
  const texts = new Set(found.map(({ text }) => text));
  const missing = other.filter(({ text }) => !texts.has(text));
  const isEdge = missing.length > 0 && missing.every(({ ms }) => ms! < startMs + 1000);
  if (isEdge) return { is: "wrong", why: "records of the first second of the window are missing" };
  return {
    is: "wrong",
    why: `it reads ${found.length} records instead of ${other.length}`,
  };
}

/** What a configuration reads of a window, by the reader that every run uses. */
export type Reading = {
  readonly pages: readonly SeenAnswer[];
  readonly records: readonly SeenRecord[];
  /** Why it came to no end; undefined where it did, or was not to. */
  readonly fault: string | undefined;
  /** What speaks against its end, by the names that `ignore_signs` takes. */
  readonly signs: readonly string[];
  /** Whether it was ended after some pages. */
  readonly isPart: boolean;
};

/** Reads a window with a configuration, to the end or some pages of it; throws OutOfRequests. */
async function readBy(
  asker: Asker,
  audits: Audits,
  limits: SourceConfig["limits"],
  window: Interval,
  mostPages = Infinity,
): Promise<Reading> {
  const pages: SeenAnswer[] = [];
  let signs: readonly string[] = [];
  const client: Pick<Client, "get"> = {
    get: async (path, parameters, open) => {
      const answer = await asker.ask(path, parameters);
      if (answer === undefined) throw new AuditlakeError("the service refuses the requests");
      const page = readSeen(answer, audits.records_at);
      const last = pages.at(-1);
      if (page !== undefined && last !== undefined && overlaps(last, page))
        throw new AuditlakeError(
          "its pages overlap, as if a record offset were used as a page number",
        );
      if (page !== undefined && page.records.length > 0) pages.push(page);
      return open(answer);
    },
  };
  const finishReading = (isPart: boolean, fault?: string): Reading => {
    return { pages, records: pages.flatMap(({ records }) => records), fault, signs, isPart };
  };
  try {
    const reading = readWindow(client, { audits, limits }, window, (ending) => {
      signs = ending.signs;
    });
    while ((await reading.next()).done !== true)
      if (pages.length >= mostPages) return finishReading(true);
    return finishReading(false);
  } catch (error) {
    if (!(error instanceof AuditlakeError) && !(error instanceof PageError)) throw error;
    return finishReading(false, getMessage(error));
  }
}

// Whether a page starts inside the previous one. Equal records, or one repeated record at the edge, show nothing.
function overlaps({ records: before }: SeenAnswer, { records: page }: SeenAnswer): boolean {
  const texts = before.map(({ text }) => text);
  const start = texts.indexOf(page[0]?.text ?? "");
  const shared = texts.slice(start);
  if (start < 1 || shared.length < 2 || new Set(texts).size < texts.length) return false;
  return shared.every((text, i) => page[i]?.text === text);
}
