import { newRandom, type Random } from "../../../fixtures/random.ts";
import { configSchema, type SourceConfig } from "../../../schemas/config.ts";
import { makeEvents, type SimEvent } from "./events.ts";

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

const styles = ["page", "offset", "cursor", "next_url", "link_header", "none"] as const;
const orders = ["oldest_first", "newest_first", "by_arrival", "shuffled"] as const;

export type Style = (typeof styles)[number];
export type Format = "envelope" | "array" | "ndjson" | "csv";
export type Order = (typeof orders)[number];

/** How the service pages and answers. */
export type Manners = {
  readonly style: Style;
  readonly format: Format;
  readonly order: Order;
  /** The most records on a page, whatever is asked for. */
  readonly pageCap: number;
  /** Whether page and offset style say in the body when there is no next page. */
  readonly saysEnd: boolean;
  /** Whether a walk sees the log as it was at its first page. */
  readonly isPinned: boolean;
  readonly isToIncluded: boolean;
  readonly isGzip: boolean;
  /** Records in another key order, with nulls and numbers as text, from walk to walk. */
  readonly shapesVary: boolean;
  /** Whether empty pages with a cursor come in between. */
  readonly hasEmptyPages: boolean;
};

/** The faults of a run. */
export type Trouble = {
  /** Share of requests that fail for the moment. */
  readonly faultRate: number;
  /** Share of pages from which the last record is missing. */
  readonly shortRate: number;
  /** Asked for by numbers, later pages come with the records of the first; else a page names itself as the next. */
  readonly repeats: "page" | "cursor" | undefined;
  /** The key is refused, or the run interrupted, at this request. */
  readonly end: { readonly how: "refused" | "interrupted"; readonly atRequest: number } | undefined;
};

export type ScheduledRun = Trouble & {
  /** The service's clock at the first request, milliseconds. */
  readonly atMs: number;
  /** Our clock, which may be wrong. */
  readonly localMs: number;
};

/** A small source and its runs; all of it follows from the seed. */
export type Plan = {
  readonly seed: number;
  readonly source: SourceConfig;
  readonly manners: Manners;
  /** How far the service's clock advances with each request, milliseconds. */
  readonly tickMs: number;
  readonly runs: readonly ScheduledRun[];
  readonly events: readonly SimEvent[];
};

const calm: Trouble = { faultRate: 0, shortRate: 0, repeats: undefined, end: undefined };

/** The plan of a seed. The last run has no faults, so that everything readable is read. */
export function makePlan(seed: number): Plan {
  const random = newRandom(seed, "simulated source");
  const manners = makeManners(random);
  const windowMs = random.pick([6 * hourMs, 12 * hourMs, dayMs, dayMs]);
  const source = makeSource(random, manners, windowMs);
  const runs = makeRuns(random, windowMs, source);
  const withIds = random.pick([1, 0.5, 0]);
  const mayMove = !manners.isPinned && random.chance(0.8);
  const tickMs = mayMove || (manners.isPinned && random.chance(0.5)) ? 1000 : 0;
  const events = makeEvents(random, { runs, source, withIds, mayMove });
  return { seed, source, manners, tickMs, runs, events };
}

function makeManners(random: Random): Manners {
  const style = random.pick(styles);
  const needsEnvelope = style === "cursor" || style === "next_url";
  return {
    style,
    format: needsEnvelope
      ? "envelope"
      : random.pick(["envelope", "array", "ndjson", "csv"] as const),
    order: random.pick(orders),
    pageCap: random.int(2, 9),
    saysEnd: random.chance(0.5),
    isPinned: random.chance(0.45),
    isToIncluded: random.chance(0.3),
    isGzip: random.chance(0.15),
    shapesVary: random.chance(0.5),
    hasEmptyPages: random.chance(0.3),
  };
}

function makeSource(random: Random, manners: Manners, windowMs: number): SourceConfig {
  const audits = {
    window_params: random.chance(0.1)
      ? null
      : { form: random.pick(["epoch_seconds", "iso8601"] as const) },
    paging: { style: manners.style, size: random.int(3, 12), first: random.int(0, 1) },
  };
  const isWindowed = audits.window_params !== null;
  const limits = {
    max_attempts: 3,
    timeout: 10_000,
    concurrency: isWindowed ? 4 : 1,
    read_pages: random.pick([500, 500, 500, 2, 4]),
  };
  const source = {
    window: windowMs,
    lookback: Math.round((windowMs * random.int(1, 6)) / 10),
    confirm: random.chance(0.15),
    grace_period: random.pick([minuteMs, hourMs, hourMs, Math.round(windowMs / 3)]),
    audits,
    limits,
  };
  return configSchema.parse({ sources: { simulated: source } }).sources["simulated"]!;
}

function makeRuns(random: Random, windowMs: number, source: SourceConfig): ScheduledRun[] {
  const count = random.pick([2, 2, 2, 2, 3, 3, 4]);
  const skewMs = random.chance(0.2) ? random.int(-90, 90) * minuteMs : 0;
  const firstMs = Date.UTC(2026, random.int(0, 11), random.int(1, 28));
  let atMs = firstMs + Math.round((windowMs * random.int(0, 99)) / 100 / 1000) * 1000;
  return Array.from({ length: count }, (_, i) => {
    if (i > 0) atMs += Math.round((windowMs * random.int(3, 13)) / 10);
    const trouble = i < count - 1 ? makeTrouble(random, source) : calm;
    return { atMs, localMs: atMs + skewMs, ...trouble };
  });
}

function makeTrouble(random: Random, { audits }: SourceConfig): Trouble {
  const isWindowed = audits.window_params !== null;
  return {
    faultRate: random.pick([0, 0, 0.1, 0.3, 0.6]),
    shortRate: random.chance(0.1) ? 0.2 : 0,
    repeats: random.chance(0.15) ? makeRepetition(random, audits.paging.style) : undefined,
    // Without windows in the requests it is undecidable which of them a run had read when it ended.
    end:
      isWindowed && random.chance(0.12)
        ? { how: random.pick(["refused", "interrupted"] as const), atRequest: random.int(1, 6) }
        : undefined,
  };
}

// Equal pages under different cursors are accepted: they are indistinguishable from a burst of equal records.
function makeRepetition(
  random: Random,
  style: SourceConfig["audits"]["paging"]["style"],
): Trouble["repeats"] {
  const drawn = random.pick(["page", "cursor"] as const);
  return style === "page" || style === "offset" ? drawn : "cursor";
}
