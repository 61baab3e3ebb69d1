import { join } from "node:path";
import { newRandom } from "../../../fixtures/random.ts";
import { ingestWindows } from "../../../pipeline/core/ingest/ingest-windows.ts";
import type { Report } from "../../../pipeline/core/ingest/report.ts";
import { AuditlakeError } from "../../../pipeline/base/errors.ts";
import { openClient } from "../../../pipeline/core/source/client.ts";
import type { Writer } from "../../../pipeline/core/writer/open.ts";
import type { NamedSource, Settings } from "../../../pipeline/base/home/settings.ts";
import { testKey } from "../../support/key.ts";
import { testWorld } from "../../support/world.ts";
import type { Plan } from "./plan.ts";
import type { Simulated } from "./service.ts";

/** Where a seed is read into: one warehouse for many, landing pages of its own. */
export type Place = {
  readonly settings: Settings;
  readonly writer: Writer;
  readonly origin: string;
};

/** The outcome of a run; undefined if it ended early, as planned. */
export type Outcome = { readonly ingested: Report | undefined };

/** One run of a plan: the ingest of the command line, with the plan's clocks and faults. */
export async function runScheduled(
  plan: Plan,
  runIndex: number,
  service: Simulated,
  { settings, writer, origin }: Place,
): Promise<Outcome> {
  const { localMs, end } = plan.runs[runIndex]!;
  const name = makeName(plan);
  const controller = new AbortController();
  const random = newRandom(plan.seed, `chance of night ${runIndex}`);
  const world = testWorld({
    env: { AUDITLAKE_API_KEY: testKey },
    now: () => localMs,
    random: random.next,
    signal: controller.signal,
  });
  const source: NamedSource = { ...plan.source, name, base_url: `${origin}/${plan.seed}` };
  const landing = join(settings.home.landing, name);
  const own = { ...settings, home: { ...settings.home, landing } };
  service.begin(runIndex, () => controller.abort());
  const client = openClient(own, source, world);
  try {
    const turn = { settings: own, source, backfill: undefined, writer, client, world };
    return { ingested: await ingestWindows(turn) };
  } catch (error) {
    if (end === undefined || !(error instanceof AuditlakeError)) throw error;
    return { ingested: undefined };
  } finally {
    await client[Symbol.asyncDispose]();
  }
}

/** Name of the source that a seed is stored under. */
export function makeName({ seed }: Plan): string {
  return `seed-${seed}`;
}
