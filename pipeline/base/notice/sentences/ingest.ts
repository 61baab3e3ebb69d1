import { countText, formatDuration, formatCount } from "../../terminal/amounts.ts";
import { formatCommand } from "../../command-line.ts";
import { formatNotFinal, formatSigns } from "../not-final.ts";
import type { NotFinal } from "../not-final.ts";

type Range = { readonly from: string; readonly to: string };
type UserList = { readonly source: string; readonly read_at: string; readonly users: number };

/** Sentences about completeness, the user directory and a run of ingest. */
export const ingestSentences = {
  // Completeness
  not_final: (facts: NotFinal, command: string) => formatNotFinal(facts, command),
  events_forgotten: (
    facts: Range & { readonly age_s: number | null; readonly retention_s: number },
    command: string,
  ) => {
    const age =
      facts.age_s === null
        ? "no scheduled run was whole so far"
        : `the last whole scheduled run is ${formatDuration(facts.age_s)} old`;
    return `${age}, the service keeps ${formatDuration(facts.retention_s)}: events from ${facts.from} to ${facts.to} may be lost for good; run ${command} now, before more are`;
  },
  gaps_lost: (
    { source, ranges }: { readonly source: string; readonly ranges: readonly Range[] },
    command: string,
  ) =>
    `not read within sources.${source}.retention as of now: ${ranges.map(rangeText).join(", ")}; events of that time may be lost for good; if you know that they are complete, run ${command}`,
  gaps_open: ({ gaps }: { readonly gaps: number }, command: string) =>
    `${formatCount(gaps, "gap")} in what was read; run ${command}${gaps > 1 ? ", and so on" : ""}`,
  backfill_broken: ({ from, to, outcome }: Range & { readonly outcome: string }, command: string) =>
    `the backfill from ${from} to ${to} ended ${outcome}, and part of its range was not read; run ${command}`,
  service_silent: (facts: {
    readonly source: string;
    readonly silent_s: number;
    readonly usual_s: number;
    readonly since: string;
    readonly has_unread: boolean;
  }) => {
    const { source, silent_s: silent, usual_s: usual, since, has_unread: hasUnread } = facts;
    const before = usual === 0 ? "" : `, where ${formatDuration(usual)} was the longest before`;
    return `no events for ${formatDuration(silent)}, since ${since}${hasUnread ? " and but for what was not read" : ""}${before}; check that the key's user may read the whole log, and sources.${source}.audits`;
  },
  events_late: (facts: {
    readonly source: string;
    readonly late_s: number;
    readonly lookback_s: number;
    readonly days: number;
  }) =>
    `events came up to ${formatDuration(facts.late_s)} late, lookback is ${formatDuration(facts.lookback_s)}; set sources.${facts.source}.lookback to ${facts.days}d`,
  run_had_error: ({ at }: { readonly at: string }) =>
    `the run of ${at} had an error, and no scheduled run was whole since; see the last error`,

  // User directory
  users_empty: (facts: UserList) =>
    `${listText(facts)} was not accepted: it is empty; ${formatCount(facts.users, "user")} stay as known; see whom the key's user may list, and sources.${facts.source}.users`,
  users_faulty: (facts: UserList & { readonly against: string }) =>
    `${listText(facts)} was not accepted: ${facts.against} indicates that it is incomplete; ${formatCount(facts.users, "user")} stay as known; set sources.${facts.source}.users.paging so that every page is read, or name in users.ignore_signs what means nothing`,
  users_held_back: (facts: UserList & { readonly against: string }, command: string) =>
    `${listText(facts)} ends no user: ${facts.against}; they stay as known; if they have left, run ${command}; if not, set sources.${facts.source}.users.paging so that every page is read`,
  users_missing: (facts: {
    readonly source: string;
    readonly users: number;
    readonly missing: number;
    readonly since: string;
  }) =>
    `${countText(facts.missing)} of ${formatCount(facts.users, "user")} of source ${facts.source} are missing on the user list since ${facts.since}; they are retained until a later list confirms it; if they still exist, set sources.${facts.source}.users.paging`,

  users_unread: ({ why, refused }: { readonly why: string; readonly refused: string | null }) =>
    `the user directory could not be read: ${why}${refused === null ? "" : `; ${refused}`}`,
  users_ended: (facts: {
    readonly source: string;
    readonly users: number;
    readonly first: readonly string[];
  }) =>
    `${formatCount(facts.users, "user")} of source ${facts.source} ended: the user list does not have them any more: ${facts.first.join(", ")}${facts.users > facts.first.length ? ` and ${facts.users - facts.first.length} more` : ""}`,

  // A run of ingest
  clock_wrong: ({ why }: { readonly why: string }) =>
    `${why}; set it (NTP): until its time has come, these reads count as the newest or never`,
  clock_was_ahead: ({ runs }: { readonly runs: number }) =>
    `${formatCount(runs, "earlier run")} had a clock that was ahead of now: its reads do not count, and their windows are read again`,
  source_new: ({ source, known }: { readonly source: string; readonly known: readonly string[] }) =>
    `source ${source} is new here, known: ${known.join(", ")}; was another one meant, choose it with --source`,
  other_source_loaded: ({ name, others }: { readonly name: string; readonly others: string[] }) =>
    `the home has events of ${others.join(", ")}, which the configuration does not name; if ${name} is the same service, its log is read a second time under this name: rename it to ${others[0]!} in the file to continue instead`,
  paging_unknown: (
    { why, requests }: { readonly why: string; readonly requests: number },
    command: string,
  ) =>
    `how the service pages is not known: ${why} (${formatCount(requests, "request")}); audits is left out: see docs/paging.md, and ask again with ${command}`,
  read_unloaded: ({ why }: { readonly why: string }) => why,
  window_ambiguous: (
    facts: Range & { readonly source: string; readonly is_read_now: boolean },
    command: string,
  ) =>
    `window ${facts.from} of ${facts.source} holds equal records on different pages, which only a second read can distinguish, and the run of that read was interrupted; run ${command}${facts.is_read_now ? ", unless this run does it now" : ""}`,
  window_failed: ({ windows, why }: { readonly windows: string; readonly why: string }) =>
    `${windows}: ${why}`,
  data_incomplete: (
    {
      windows,
      source,
      signs,
    }: { readonly windows: string; readonly source: string; readonly signs: string },
    command: string,
  ) =>
    `data is incomplete, ${windows}: ${formatSigns(signs, `sources.${source}.audits`)}; run ${command} to find the right setting`,
  quarantined: (
    { records, was_landed: wasLanded }: { readonly records: number; readonly was_landed: boolean },
    command: string,
  ) =>
    `${formatCount(records, "record")}${wasLanded ? " that an earlier run had landed" : ""} could not be read and went to the quarantine; see ${command}`,
  gap_left: ({ from, to, source }: Range & { readonly source: string }, command: string) =>
    `${from} to ${to} left the scheduled range without being final: a gap; run ${command}, or ${formatCommand("ingest", "accept", "--source", source, "--from", from, "--to", to, "--reason", "TEXT")}`,
  reads_disagree: ({ windows, reads }: { readonly windows: string; readonly reads: number }) =>
    `${windows}: read ${reads} times, and no two reads in a row agree; what came is kept, but not final`,
  windows_ignored: ({ source }: { readonly source: string }) =>
    `the service answers the same whatever window it is asked for, so windows are read whole; check sources.${source}.audits.window_params`,
  window_unsplit: ({ windows, source }: { readonly windows: string; readonly source: string }) =>
    `${windows}: more than one read should hold, and not to be split, since sources.${source}.audits.window_params is null; it was read in one piece, and a run that is killed meanwhile restarts it`,
  window_unserved: ({ from, to }: Range, command: string) =>
    `the service does not serve the events of ${from} to ${to}: recorded as a coverage gap, the rest is loaded; ask who runs the service, then run ${command}`,
  ids_conflict: ({ conflicts, events }: { readonly conflicts: number; readonly events: number }) =>
    `${formatCount(conflicts, "new event")} of ${events} share an id with another of other content: see the view id_conflicts; the log may have been altered, or the id may not be that of the record`,
  events_elsewhere: ({
    events,
    from,
    to,
    source,
  }: Range & { readonly events: number; readonly source: string }) =>
    `${formatCount(events, "event")} of ${from} to ${to} came with other windows, in time that was final; the service may select by another time than that of the event: see audits.window_params of sources.${source}`,
  pause_long: ({ pause_s: pause }: { readonly pause_s: number }) =>
    `the last read is ${formatDuration(pause)} old, and no run has read anything since; what the service still has of that time is asked for now`,
} as const;

function rangeText({ from, to }: Range): string {
  return `${from} to ${to}`;
}

function listText({ source, read_at: readAt }: UserList): string {
  return `the user list of source ${source}, read ${readAt},`;
}
