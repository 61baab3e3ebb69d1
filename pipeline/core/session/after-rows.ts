import type { DuckDBConnection } from "@duckdb/node-api";
import { tryLock } from "../../base/home/lock.ts";
import type { Settings } from "../../base/home/settings.ts";
import { printer } from "../../base/notice/printer.ts";
import type { World } from "../../base/world.ts";
import { detectIfDue, isDetectionDue } from "../detect/run.ts";
import {
  bringKnownTexts,
  readTexts,
  chooseTextLimit,
  textShareOf,
} from "../query-texts/read-due.ts";

// What a run does between its two publications. Readers have its rows; what takes longer follows from them here, one
// step after the other, and is published with the second.

/**
 * Does what takes no time before the first publication. Resolves to whether a step has work, so that a run without any
 * publishes once.
 */
export async function beforeRows(
  connection: DuckDBConnection,
  settings: Settings,
  world: World,
): Promise<boolean> {
  if (world.signal.aborted) return false;
  const areTextsDue = chooseTextLimit(settings, world) !== 0 && (await bringKnownTexts(connection));
  return areTextsDue || (await isDetectionDue(connection, settings, world));
}

/** Carries the steps out, on a connection of its own. */
export async function afterRows(
  connection: DuckDBConnection,
  settings: Settings,
  world: World,
): Promise<void> {
  const { home, flags } = settings;
  const nowMs = performance.now();
  const runMs = nowMs - (tryLock(home.lock)?.takenMs ?? nowMs);
  const limitMs = chooseTextLimit(settings, world) ?? textShareOf(runMs);
  if (limitMs > 0)
    await readTexts(connection, limitMs, world, printer(world), flags.quiet === true);
  await detectIfDue(connection, settings, world);
}
