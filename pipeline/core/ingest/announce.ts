import { notify, warning } from "../../base/notice/notice.ts";
import { commandText } from "../../base/command-line.ts";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { NamedSource } from "../../base/home/settings.ts";
import { secondText } from "../../base/time/text.ts";
import { totalsOf } from "../completeness/reading.ts";
import { missedRetention } from "../completeness/warnings.ts";
import { durationText, plural } from "../../base/terminal/amounts.ts";
import type { World } from "../../base/world.ts";
import type { Due } from "./due.ts";

// Runs are a night apart; a longer pause is said also under --quiet, since nobody else may notice it.
const longestPauseMs = 36 * 3_600_000;

/** Warns where the newest read is older than the usual pause between two runs. */
export function printPause(newestReadMs: number | undefined, nowMs: number, world: World): void {
  const pauseMs = newestReadMs === undefined ? 0 : nowMs - newestReadMs;
  if (pauseMs <= longestPauseMs) return;
  notify(world, warning("pause_long", { pause_s: pauseMs / 1000 }));
}

/** Says what is about to be read. */
export function announce(
  { range, isFirst }: Due,
  isScheduledRun: boolean,
  loaded: number,
  { name, lookback }: NamedSource,
  world: World,
): void {
  if (loaded > 0)
    world.stderr.write(`loaded ${plural(loaded, "read")} that an earlier run had landed\n`);
  const why = isScheduledRun ? "from the checkpoint and the look-back" : "as asked for";
  const [from, to] = [secondText(range.startMs), secondText(range.endMs)];
  if (!isScheduledRun || !isFirst)
    return void world.stderr.write(`reading ${from} to ${to}, ${why}\n`);
  const back = durationText(lookback / 1000);
  world.stderr.write(
    `reading ${from} to ${to}: there is no checkpoint yet, so the look-back of ${back} alone; for more, ${commandText("ingest", "--source", name, "--from", "30d", "--confirm")}\n`,
  );
}

/**
 * Warns of a time that the service has forgotten. It is said before any event is read: from then on nobody can tell an
 * empty answer from a quiet time.
 */
export async function warnOfLoss(
  connection: DuckDBConnection,
  source: NamedSource,
  nowMs: number,
  world: World,
): Promise<void> {
  // To ask how far reading has come takes a twentieth of a small run.
  if (source.retention === undefined) return;
  const totals = await totalsOf(connection, source.name);
  if (totals === undefined) return;
  for (const notice of missedRetention({ source: source.name, totals }, source, nowMs))
    notify(world, notice);
}
