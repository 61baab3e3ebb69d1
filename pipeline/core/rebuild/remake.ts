import { join } from "node:path";
import type { Settings } from "../../base/home/settings.ts";
import { toolVersion } from "../../base/home/version.ts";
import type { World } from "../../base/world.ts";
import { openWriter } from "../writer/open.ts";
import { newProgress } from "../../base/terminal/progress.ts";
import { chooseIds } from "../load/own-ids.ts";
import { newRun } from "../store/ledger/totals.ts";
import { toTimestamp } from "../../base/time/text.ts";
import { build, type Built } from "./build.ts";
import {
  type Choices,
  planRebuild,
  type IdentifiedPlan,
  type RebuildPlan,
  type Step,
} from "./plan-rebuild.ts";
import type { Found } from "./present.ts";

/** A database made anew in the staging folder, closed. */
export type Remade = {
  readonly path: string;
  readonly plan: IdentifiedPlan;
  readonly built: Built;
};

/** Makes the database anew from landing and, for what landing no longer has, from the one that was found. */
export async function remake(
  settings: Settings,
  found: Found,
  choices: Choices,
  world: World,
): Promise<Remade> {
  const planned = planRebuild(settings.home.landing, found.present, choices);
  const { sources } = settings.config;
  const configured = (source: string): string | null => sources[source]?.audits.id_at ?? null;
  const loads = [...planned.known, ...planned.pending].flatMap((step) =>
    step.kind === "load" ? step.manifest : [],
  );
  const plan = identifyBy(planned, chooseIds(loads, configured));
  const path = join(settings.home.staging, "rebuilt.duckdb");
  const built = await buildAt(path, plan, { settings, found, choices }, world);
  return { path, plan, built };
}

type Ground = {
  readonly settings: Settings;
  readonly found: Found;
  readonly choices: Choices;
};

// The reads of a source are loaded with one id, also those from before it was set.
function identifyBy(plan: RebuildPlan, ids: ReadonlyMap<string, string>): IdentifiedPlan {
  const identified = (step: Step): Step =>
    step.kind === "load"
      ? { ...step, manifest: { ...step.manifest, id_at: ids.get(step.manifest.source) } }
      : step;
  const { known, pending } = plan;
  return { ...plan, known: known.map(identified), pending: pending.map(identified), ids };
}

async function buildAt(
  path: string,
  plan: IdentifiedPlan,
  { settings, found: { present }, choices }: Ground,
  world: World,
): Promise<Built> {
  const { home, flags } = settings;
  const steps = plan.known.length + plan.pending.length;
  const progress = newProgress(flags.progress, flags.quiet === true, steps, "steps", world);
  const writer = await openWriter(settings, path, world);
  await using _database = writer.database;
  const run = newRun({
    runId: "",
    source: "",
    command: "rebuild",
    startedAt: toTimestamp(world.now()),
    rangeStart: null,
    rangeEnd: null,
    catalogVersion: writer.catalogVersion,
    toolVersion: toolVersion(),
  });
  const like = { ...run, outcome: "done" as const };
  try {
    const context = { home, writer, present, choices, like, world, onProgress: progress.update };
    return await build(context, plan);
  } finally {
    progress.end();
  }
}
