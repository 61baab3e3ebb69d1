import type { Context } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { UsageError } from "../../base/errors.ts";
import type { Display } from "../../base/html/formats.ts";
import { quoteStart } from "../../base/printable.ts";
import { parseMoment } from "../../base/time/times.ts";
import type { FrameFacts } from "./frame-facts.ts";
import type { Query } from "./search.ts";
import type { Site } from "./site.ts";

/** The range of a page as texts that the command line takes; half-open. */
export type PageRange = { readonly since: string; readonly until: string };

/** The range of a page for a reader who chose none. */
export const usualRange: PageRange = { since: "7d", until: "now" };

/** One request for a page, and how it is shown. */
export type Visit = {
  /** The site, limited to the chosen source. */
  readonly site: Site;
  readonly path: string;
  /** Parameters of the address without those of the frame. */
  readonly params: URLSearchParams;
  /** The range of the address, else the range chosen last. */
  readonly range: PageRange;
  /** Whether the range was chosen, now or before. */
  readonly isRangeChosen: boolean;
  readonly display: Display;
  /** Undefined while they are read for the first time, and where the published file cannot be read. */
  readonly facts: FrameFacts | undefined;
  readonly showsAllColumns: boolean;
  readonly showsAllRows: boolean;
  readonly gone: AbortSignal;
};

export type VisitEnv = { readonly Variables: { visit: Visit } };

// In cookies, so that the server knows them at the first byte and links need not carry them; a shared address has its
// own.
const cookies = { since: "since", until: "until", zone: "zone", source: "source" } as const;
const frameParams = ["zone", "source", "columns", "show"];
const maxCookieCharacters = 100;

/** Reads a request; what the address chooses for the frame is remembered until the browser closes. */
export async function readVisit(
  site: Site,
  c: Context,
  readFacts: (source: string | undefined) => Promise<FrameFacts | undefined>,
): Promise<Visit> {
  const url = new URL(c.req.url);
  const params = new URLSearchParams(url.searchParams);
  const choose = (name: keyof typeof cookies): string | undefined =>
    rememberChoice(c, name, params);
  const [since, until] = readRange(c, params, site.world.now());
  const [zone, wanted] = [choose("zone"), choose("source")];
  const showsAllColumns = params.get("columns") === "all";
  const showsAllRows = params.get("show") === "all";
  for (const name of frameParams) params.delete(name);
  const all = await readFacts(site.settings.flags.source);
  const source = site.settings.flags.source ?? all?.sources.find((name) => name === wanted);
  const facts = source === site.settings.flags.source ? all : await readFacts(source);
  return {
    site: limitSite(site, source),
    path: url.pathname,
    params,
    range: { since: since ?? usualRange.since, until: until ?? usualRange.until },
    isRangeChosen: since !== undefined,
    display: {
      zone: zone === "UTC" ? "UTC" : site.settings.config.timezone,
      nowMs: site.world.now(),
      domain: facts?.domain,
    },
    facts,
    showsAllColumns,
    showsAllRows,
    gone: c.req.raw.signal,
  };
}

// Both ends belong together: one of the address does not meet one of before.
function readRange(
  c: Context,
  params: URLSearchParams,
  nowMs: number,
): [string | undefined, string | undefined] {
  const given = params.get("since") ?? params.get("until");
  if (given === null) return [readChoice(c, "since"), readChoice(c, "until")];
  const [since, until] = [params.get("since") || undefined, params.get("until") || undefined];
  if (isRange(since ?? usualRange.since, until ?? usualRange.until, nowMs)) {
    remember(c, "since", since ?? "");
    remember(c, "until", until ?? "");
  }
  return [since, until];
}

// A range with a fault is refused on its own page, and must not follow the reader to the next ones.
function isRange(since: string, until: string, nowMs: number): boolean {
  try {
    return parseMoment(since, nowMs) < parseMoment(until, nowMs);
  } catch (error) {
    if (error instanceof UsageError) return false;
    throw error;
  }
}

function rememberChoice(
  c: Context,
  name: keyof typeof cookies,
  params: URLSearchParams,
): string | undefined {
  const given = params.get(name);
  if (given === null) return readChoice(c, name);
  remember(c, name, given);
  return given;
}

function readChoice(c: Context, name: keyof typeof cookies): string | undefined {
  return getCookie(c, cookies[name]) || undefined;
}

function remember(c: Context, name: keyof typeof cookies, value: string): void {
  if (value.length > maxCookieCharacters) return;
  setCookie(c, cookies[name], value, { httpOnly: true, sameSite: "Strict", path: "/" });
}

function limitSite(site: Site, source: string | undefined): Site {
  const { settings, pool } = site;
  if (source === undefined || source === settings.flags.source) return site;
  return {
    ...site,
    settings: { ...settings, flags: { ...settings.flags, source } },
    pool: { ...pool, use: (work) => pool.use(work, source) },
  };
}

/** Returns the parameters of a page. Throws UsageError for a repeated parameter. */
export function readQuery({ params }: Visit): Query {
  const names = [...params.keys()];
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined)
    throw new UsageError(`the address has ${quoteStart(twice)} more than once`);
  return Object.fromEntries(params);
}
