import { commandText } from "../../base/command-line.ts";
import { maxRounds } from "./loading.ts";
import type { WindowFailure } from "./windows-run.ts";
import { incompleteTexts, type RunOutcome, windowsText } from "./finish-run.ts";
import type { NamedSource } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import { countText, plural } from "../../base/terminal/amounts.ts";
import { secondText } from "../../base/time/text.ts";
import type { Ingested } from "./ingest-windows.ts";
import type { Interval } from "../../base/time/interval.ts";

/** Says on standard error what a run came to: under `quiet`, only what somebody should know. */
export function printSummary(
  ingested: Ingested,
  source: NamedSource,
  isQuiet: boolean,
  seconds: number,
  world: World,
): void {
  const { outcome, resumed, usersError, warnings } = ingested;
  const print = (line: string): void => void world.stderr.write(`${line}\n`);
  for (const failure of resumed.failures) print(`error: ${failure}`);
  for (const line of failureLines(outcome.failures)) print(`error: ${line}`);
  for (const line of incompleteTexts(outcome.contradicted, source)) print(`error: ${line}`);
  if (resumed.quarantined > 0)
    print(
      `warning: ${plural(resumed.quarantined, "record")} that an earlier run had landed could not be read and went to the quarantine; see ${commandText("status")}`,
    );
  if (usersError !== undefined) print(`warning: ${usersError}`);
  for (const line of [
    ...windowWarnings(outcome, source),
    ...gapLines(ingested, source),
    ...warnings,
  ])
    print(`warning: ${line}`);
  if (!isQuiet) for (const line of countLines(ingested, seconds)) print(line);
  else if (outcome.run.quarantined > 0)
    print(
      `warning: ${plural(outcome.run.quarantined, "record")} could not be read and went to the quarantine; see ${commandText("status")}`,
    );
  if (world.signal.aborted) print(interruptText(ingested, source));
}

function countLines(
  { outcome: { run, left }, due, waiting, final }: Ingested,
  seconds: number,
): string[] {
  const windows = due.windows.length;
  const reads = plural(run.windows, "read");
  const asked = plural(windows, "window");
  const all = run.windows === windows ? asked : `${asked} (${reads})`;
  const where = left.length > 0 ? reads : all;
  const quarantined = run.quarantined > 0 ? `, ${run.quarantined} quarantined` : "";
  const missing = run.missing > 0 ? `, ${run.missing} missing at the source` : "";
  return [
    `${plural(run.fetched, "event")} in ${where}: ${countText(run.inserted)} new, ${plural(run.duplicate, "duplicate")}${quarantined}${missing}; ${plural(run.requests, "request")}, ${run.retries === 1 ? "1 retry" : `${run.retries} retries`}, ${seconds.toFixed(1)} s`,
    ...waiting,
    final === undefined
      ? "final: nothing yet; a window is final when two reads after it closed agree and show its end"
      : `final from ${secondText(final.startMs)} to ${secondText(final.endMs)}`,
  ];
}

// Windows that failed for the same reason share a line.
function failureLines(failures: readonly WindowFailure[]): string[] {
  const byMessage = Map.groupBy(failures, (failure) => failure.message);
  return [...byMessage].map(
    ([message, all]) => `${windowsText(all.map(({ window }) => window))}: ${message}`,
  );
}

function gapLines({ gaps }: Ingested, { name }: NamedSource): string[] {
  return gaps.map(({ startMs, endMs }) => {
    const range = ["--from", secondText(startMs), "--to", secondText(endMs)];
    return `${secondText(startMs)} to ${secondText(endMs)} left the scheduled range without being final: a gap; run ${commandText("ingest", "--source", name, ...range, "--confirm")}, or ${commandText("ingest", "accept", "--source", name, ...range, "--reason", "TEXT")}`;
  });
}

function windowWarnings(
  { disagreeing, unsplit, ignoresWindows }: RunOutcome,
  source: NamedSource,
): string[] {
  const audits = `sources.${source.name}.audits.window_params`;
  const warnings: string[] = [];
  if (disagreeing.length > 0)
    warnings.push(
      `${windowsText(disagreeing)}: read ${maxRounds} times, and no two reads in a row agree; what came is kept, but not final`,
    );
  if (ignoresWindows)
    warnings.push(
      `the service answers the same whatever window it is asked for, so windows are read whole; check ${audits}`,
    );
  else if (unsplit.length > 0)
    warnings.push(
      `${windowsText(unsplit)}: more than one read should hold, and not to be split, since ${audits} is null; it was read in one piece, and a run that is killed meanwhile begins it anew`,
    );
  return warnings;
}

function interruptText(
  { outcome: { left }, due, isScheduledRun }: Ingested,
  { name, confirm }: NamedSource,
): string {
  const isLeft = (window: Interval): boolean =>
    left.some(({ startMs, endMs }) => startMs < window.endMs && endMs > window.startMs);
  const done = due.windows.filter((window) => !isLeft(window)).length;
  const fromMs = left.reduce((least, { startMs }) => Math.min(least, startMs), Infinity);
  const what = `interrupted: ${done} of ${plural(due.windows.length, "window")} committed`;
  if (left.length === 0) return what;
  const from = secondText(fromMs);
  return isScheduledRun
    ? `${what}; the next run resumes at ${from}`
    : `${what}; go on with ${commandText("ingest", "--source", name, "--from", from, "--to", secondText(due.range.endMs))}${confirm ? " --confirm" : ""}`;
}
