import { getMessage } from "../../../pipeline/base/errors.ts";
import type { Report } from "../../../pipeline/core/ingest/report.ts";
import type { Failure, Seen } from "./dropped.ts";
import type { Claim } from "./final.ts";
import { runScheduled, type Place } from "./scheduled-run.ts";
import type { Plan } from "./plan.ts";
import { simulate, type Simulated } from "./service.ts";
import type { Range } from "./walks.ts";

/** A seed after all its runs, with what its service saw and what the runs claimed. */
export type Trial = Seen & {
  readonly plan: Plan;
  /** What completed runs called final. */
  readonly claims: readonly Claim[];
  readonly gaps: readonly Claim[];
  readonly failures: readonly Failure[];
  readonly complaints: readonly string[];
};

/** The services of the seeds at work, by seed. */
export type Services = Map<string, Simulated>;

/** Carries out the runs of a plan and records the claims of each. */
export async function tryRuns(plan: Plan, place: Place, services: Services): Promise<Trial> {
  const service = simulate(plan);
  services.set(String(plan.seed), service);
  const said = { claims: [] as Claim[], gaps: [] as Claim[], failures: [] as Failure[] };
  const complaints: string[] = [];
  for (const runIndex of plan.runs.keys()) {
    try {
      const { ingested } = await runScheduled(plan, runIndex, service, place);
      if (ingested === undefined) continue;
      const { final, gaps, failures } = ingested;
      const at = (range: Span): Claim => ({ runIndex, ...buildRange(range) });
      if (final !== undefined && !hasEnded(plan, runIndex, ingested)) said.claims.push(at(final));
      said.gaps.push(...gaps.map(at));
      for (const { window, message } of failures) said.failures.push({ ...at(window), message });
    } catch (error) {
      complaints.push(`run ${runIndex}: ${getMessage(error)}`);
    }
  }
  services.delete(String(plan.seed));
  return { plan, walks: service.walks, broken: service.broken, ...said, complaints };
}

type Span = { readonly startMs: number; readonly endMs: number };

function buildRange({ startMs, endMs }: Span): Range {
  return { fromMs: startMs, toMs: endMs };
}

// What an interrupted run had landed is loaded by the next one.
function hasEnded({ runs }: Plan, runIndex: number, { run }: Report): boolean {
  return runs[runIndex]!.end !== undefined && run.outcome === "interrupted";
}
