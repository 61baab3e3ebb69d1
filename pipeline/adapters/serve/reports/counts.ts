import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { AuditlakeError } from "../../../base/errors.ts";
import { makeFolders, writeDurably } from "../../../base/home/durable.ts";
import type { Report } from "../../../base/report/find.ts";
import { buildQuestion } from "../../../base/report/params.ts";
import { parseJson } from "../../../base/rows/json-text.ts";
import { bindQuestion } from "../../../base/sql/bind.ts";
import { runStatement } from "../../../base/sql/select.ts";
import { ask } from "../ask.ts";
import { readMark } from "../pool.ts";
import type { Site } from "../site.ts";

/** Rows of a report in a week, and in the week before; null for a report without a range. */
export type ReportCount = { readonly rows: number; readonly before: number | null };

export type ReportCounts = {
  /** The week that is counted, half-open: whole days in UTC. */
  readonly fromMs: number;
  readonly untilMs: number;
  readonly counts: ReadonlyMap<string, ReportCount>;
  readonly isComplete: boolean;
};

type Counting = {
  readonly key: string;
  readonly untilMs: number;
  readonly counts: Map<string, ReportCount>;
  isComplete: boolean;
};

const dayMs = 86_400_000;
const weekMs = 7 * dayMs;

const storedSchema = z.object({
  key: z.string(),
  counts: z.record(z.string(), z.object({ rows: z.number(), before: z.number().nullable() })),
});

/**
 * Returns what reads the counts of all built-in reports: those known so far, at once. A new publication or day is counted
 * in the background, one report at a time, and the result is stored in the home for the next start.
 */
export function newReportCounter(): (site: Site) => ReportCounts {
  const countings = new Map<string, Counting>();
  return (site) => {
    const { settings, world } = site;
    const untilMs = Math.floor(world.now() / dayMs) * dayMs;
    const source = settings.flags.source ?? "";
    const key = `${readMark(settings.home.published)} ${untilMs} ${source}`;
    let counting = countings.get(source);
    if (counting?.key !== key) {
      counting = startCounting(site, key, untilMs);
      countings.set(source, counting);
    }
    const { counts, isComplete } = counting;
    return { fromMs: untilMs - weekMs, untilMs, counts, isComplete };
  };
}

function startCounting(site: Site, key: string, untilMs: number): Counting {
  const path = join(site.settings.home.root, "serve", "report-counts.json");
  const stored = readStored(path, key);
  const counting: Counting = {
    key,
    untilMs,
    counts: stored ?? new Map(),
    isComplete: stored !== undefined,
  };
  if (stored === undefined) void countAll(site, counting, path);
  return counting;
}

function readStored(path: string, key: string): Map<string, ReportCount> | undefined {
  try {
    const stored = storedSchema.safeParse(parseJson(readFileSync(path, "utf8"))).data;
    return stored?.key === key ? new Map(Object.entries(stored.counts)) : undefined;
  } catch {
    return undefined;
  }
}

// A report that cannot be counted has no count; the others still have.
async function countAll(site: Site, counting: Counting, path: string): Promise<void> {
  const reports = site.found().reports.filter(isCounted);
  let failures = 0;
  for (const report of reports)
    try {
      counting.counts.set(report.name, await countReport(site, report, counting.untilMs));
    } catch (error) {
      if (site.world.signal.aborted || !(error instanceof AuditlakeError)) return;
      failures += 1;
    }
  counting.isComplete = true;
  if (failures === 0) await storeCounts(path, counting).catch(() => undefined);
}

async function storeCounts(path: string, { key, counts }: Counting): Promise<void> {
  makeFolders(dirname(path));
  const text = JSON.stringify({ key, counts: Object.fromEntries(counts) });
  await writeDurably(path, Buffer.from(text));
}

/** Whether a report has a count: users' own reports run in a process each, and others need a value first. */
export function isCounted({ isBuiltIn, params }: Report): boolean {
  return isBuiltIn && params.every(({ defaultText }) => defaultText !== undefined);
}

async function countReport(site: Site, report: Report, untilMs: number): Promise<ReportCount> {
  const count = (until: number): Promise<number> => countRows(site, report, until);
  const isRanged = report.params.some(({ name }) => name === "since");
  return { rows: await count(untilMs), before: isRanged ? await count(untilMs - weekMs) : null };
}

function countRows(site: Site, report: Report, untilMs: number): Promise<number> {
  const toText = (ms: number): string => new Date(ms).toISOString();
  const range = { since: toText(untilMs - weekMs), until: toText(untilMs) };
  const given = Object.entries(range).filter(([name]) =>
    report.params.some((p) => p.name === name),
  );
  const question = buildQuestion(report, new Map(given), untilMs);
  const { sql, values } = bindQuestion(question);
  const counted = `select count(*) as rows from (\n${sql.replace(/;\s*$/, "")}\n)`;
  return ask(site, site.world.signal, async (connection, signal) => {
    const { batches } = await runStatement(connection, { sql: counted, values }, signal);
    let rows = 0;
    for await (const batch of batches) rows = Number(batch[0]?.[0] ?? 0);
    return rows;
  });
}
