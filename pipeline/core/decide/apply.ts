import type { DuckDBConnection } from "@duckdb/node-api";
import { AuditlakeError, exitCode } from "../../base/errors.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import {
  bringDecisions,
  type Decision,
  keepDecisions,
  type NewDecision,
} from "../detect/decisions.ts";
import { runDetections } from "../detect/run.ts";
import { withWriter } from "../session/write.ts";

const command = "findings";

/**
 * Stores decisions, then updates and publishes the findings. While a run holds the lock the decisions stay stored and
 * that run, or the next one, applies them. Resolves to what was stored and whether it was applied.
 */
export async function applyDecisions(
  decisions: readonly NewDecision[],
  decidedBy: string,
  settings: Settings,
  world: World,
): Promise<{ readonly stored: readonly Decision[]; readonly isApplied: boolean }> {
  const stored = await keepDecisions(settings.home, decisions, decidedBy, world);
  const work = (connection: DuckDBConnection): Promise<string[]> =>
    runDetections(connection, settings, world);
  try {
    await withWriter(settings, world, command, (w) => work(w.database.connection), "grown");
    return { stored, isApplied: true };
  } catch (error) {
    if (!(error instanceof AuditlakeError) || error.exitCode !== exitCode.locked) throw error;
    return { stored, isApplied: false };
  }
}

/**
 * Takes the lock, lets `choose` look at the current findings and return decisions, stores them, and publishes the
 * findings. Nothing is stored while a run holds the lock: that throws with exit code 5.
 */
export async function decideUnderLock(
  choose: (connection: DuckDBConnection) => Promise<readonly NewDecision[]>,
  decidedBy: string,
  settings: Settings,
  world: World,
): Promise<readonly Decision[]> {
  return withWriter(
    settings,
    world,
    command,
    async ({ database: { connection } }) => {
      await bringDecisions(settings.home, connection);
      try {
        const decisions = await choose(connection);
        return await keepDecisions(settings.home, decisions, decidedBy, world);
      } finally {
        // Decisions stored before this one are applied too, also where this one is refused.
        await runDetections(connection, settings, world);
      }
    },
    "grown",
  );
}
