import { commandText } from "../../base/command-line.ts";
import { fault, type Notice, notify, sentenceOf, warning } from "../../base/notice/notice.ts";
import { maxRounds } from "./loading.ts";
import type { WindowFailure } from "./windows-run.ts";
import { incompleteNotices, type RunOutcome, windowsText } from "./finish-run.ts";
import type { NamedSource } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import { countText, plural } from "../../base/terminal/amounts.ts";
import { secondText } from "../../base/time/text.ts";
import type { Ingested } from "./ingest-windows.ts";
import type { Interval } from "../../base/time/periods.ts";

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
  const quarantined = (records: number, wasLanded: boolean): Notice[] =>
    records === 0 ? [] : [warning("quarantined", { records, was_landed: wasLanded }, ["status"])];
  const notices = [
    ...resumed.failures.map((text) => fault("text", { text })),
    ...failureNotices(outcome.failures),
    ...incompleteNotices(outcome.contradicted, source),
    ...quarantined(resumed.quarantined, true),
    ...(usersError === undefined ? [] : [usersError]),
    ...windowWarnings(outcome, source),
    ...gapNotices(ingested, source),
    ...warnings,
    ...quarantined(isQuiet ? outcome.run.quarantined : 0, false),
  ];
  for (const notice of notices) notify(world, notice);
  if (!isQuiet) for (const line of countLines(ingested, seconds)) print(line);
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
    ...waiting.map(sentenceOf),
    final === undefined
      ? "final: nothing yet; a window is final when two reads after it closed agree and show its end"
      : `final from ${secondText(final.startMs)} to ${secondText(final.endMs)}`,
  ];
}

// Windows that failed for the same reason share a notice.
function failureNotices(failures: readonly WindowFailure[]): Notice[] {
  const byMessage = Map.groupBy(failures, (failure) => failure.message);
  return [...byMessage].map(([why, all]) =>
    fault("window_failed", { windows: windowsText(all.map(({ window }) => window)), why }),
  );
}

function gapNotices({ gaps }: Ingested, { name: source }: NamedSource): Notice[] {
  return gaps.map(({ startMs, endMs }) => {
    const [from, to] = [secondText(startMs), secondText(endMs)];
    const command = ["ingest", "--source", source, "--from", from, "--to", to, "--confirm"];
    return warning("gap_left", { from, to, source }, command);
  });
}

function windowWarnings(
  { disagreeing, unsplit, ignoresWindows }: RunOutcome,
  { name: source }: NamedSource,
): Notice[] {
  const notices: Notice[] = [];
  if (disagreeing.length > 0)
    notices.push(
      warning("reads_disagree", { windows: windowsText(disagreeing), reads: maxRounds }),
    );
  if (ignoresWindows) notices.push(warning("windows_ignored", { source }));
  else if (unsplit.length > 0)
    notices.push(warning("window_unsplit", { windows: windowsText(unsplit), source }));
  return notices;
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
