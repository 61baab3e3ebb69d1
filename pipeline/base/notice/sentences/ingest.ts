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
        ? "no scheduled run has completed yet"
        : `the last complete scheduled run was ${formatDuration(facts.age_s)} ago`;
    return `${age}, and the service retains events for ${formatDuration(facts.retention_s)}: events from ${facts.from} to ${facts.to} may be lost; run ${command} now, before more expire`;
  },
  gaps_lost: (
    { source, ranges }: { readonly source: string; readonly ranges: readonly Range[] },
    command: string,
  ) =>
    `not read within sources.${source}.retention: ${ranges.map(rangeText).join(", ")}; events of that time may be lost; if you know that the data is complete, run ${command}`,
  gaps_open: ({ gaps }: { readonly gaps: number }, command: string) =>
    `${formatCount(gaps, "coverage gap")}; to close ${gaps > 1 ? "the first" : "it"}, run ${command}`,
  backfill_broken: ({ from, to, outcome }: Range & { readonly outcome: string }, command: string) =>
    `the backfill from ${from} to ${to} ended with outcome ${outcome}, before its whole range was read; run ${command}`,
  service_silent: (facts: {
    readonly source: string;
    readonly silent_s: number;
    readonly usual_s: number;
    readonly since: string;
    readonly has_unread: boolean;
  }) => {
    const { source, silent_s: silent, usual_s: usual, since, has_unread: hasUnread } = facts;
    const before = usual === 0 ? "" : `; the longest silence before was ${formatDuration(usual)}`;
    return `no events for ${formatDuration(silent)}, since ${since}${hasUnread ? " (without coverage gaps)" : ""}${before}; check that the user of the API key may read the whole log, and check sources.${source}.audits`;
  },
  events_late: (facts: {
    readonly source: string;
    readonly late_s: number;
    readonly lookback_s: number;
    readonly days: number;
  }) =>
    `events arrived up to ${formatDuration(facts.late_s)} late, but lookback is ${formatDuration(facts.lookback_s)}; set sources.${facts.source}.lookback to ${facts.days}d`,
  run_had_error: ({ at }: { readonly at: string }) =>
    `the run of ${at} had an error, and no scheduled run has completed since; see the last error`,

  // User directory
  users_empty: (facts: UserList) =>
    `${listText(facts)} was rejected because it is empty; ${formatCount(facts.users, "known user")} unchanged; check which users the API key may list, and check sources.${facts.source}.users`,
  users_faulty: (facts: UserList & { readonly against: string }) =>
    `${listText(facts)} was rejected: ${facts.against} indicates that it is incomplete; ${formatCount(facts.users, "known user")} unchanged; set sources.${facts.source}.users.paging so that every page is read, or add a sign that is normal for this service to users.ignore_signs`,
  users_held_back: (facts: UserList & { readonly against: string }, command: string) =>
    `${listText(facts)} was not applied: ${facts.against}; all known users unchanged; if the missing ones have left, run ${command}; if not, set sources.${facts.source}.users.paging so that every page is read`,
  users_missing: (facts: {
    readonly source: string;
    readonly users: number;
    readonly missing: number;
    readonly since: string;
  }) =>
    `${countText(facts.missing)} of ${formatCount(facts.users, "user")} of source ${facts.source} are missing from the user list since ${facts.since}; they are retained until a later list confirms it; if they still exist, set sources.${facts.source}.users.paging`,

  users_unread: ({ why, refused }: { readonly why: string; readonly refused: string | null }) =>
    `the user directory could not be read: ${why}${refused === null ? "" : `; ${refused}`}`,
  users_ended: (facts: {
    readonly source: string;
    readonly users: number;
    readonly first: readonly string[];
  }) =>
    `${formatCount(facts.users, "user")} of source ${facts.source} are no longer on the user list: ${facts.first.join(", ")}${facts.users > facts.first.length ? ` and ${facts.users - facts.first.length} more` : ""}`,

  // A run of ingest
  clock_wrong: ({ why }: { readonly why: string }) =>
    `${why}; correct it (NTP): until then, reads are dated wrongly and may not count`,
  clock_was_ahead: ({ runs }: { readonly runs: number }) =>
    `${formatCount(runs, "earlier run")} used a clock that was ahead: the reads do not count, and their windows are read again`,
  source_new: ({ source, known }: { readonly source: string; readonly known: readonly string[] }) =>
    `source ${source} is new in this home, known sources: ${known.join(", ")}; to use one of them, pass --source`,
  other_source_loaded: ({ name, others }: { readonly name: string; readonly others: string[] }) =>
    `the home has events of ${others.join(", ")}, which the configuration does not name; if ${name} is the same service, its log would be loaded twice: rename it to ${others[0]!} in the configuration to continue`,
  paging_unknown: (
    { why, requests }: { readonly why: string; readonly requests: number },
    command: string,
  ) =>
    `the paging style of the service was not detected: ${why} (${formatCount(requests, "request")}); the configuration has no audits: see docs/paging.md, then run ${command}`,
  read_unloaded: ({ why }: { readonly why: string }) => why,
  window_ambiguous: (
    facts: Range & { readonly source: string; readonly is_read_now: boolean },
    command: string,
  ) =>
    `window ${facts.from} of ${facts.source} has equal records on different pages, which only a second read can distinguish, and that read was interrupted; run ${command}${facts.is_read_now ? ", unless this run completes it" : ""}`,
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
    `${formatCount(records, "record")}${wasLanded ? " that an earlier run had stored" : ""} could not be read and went to the quarantine; see ${command}`,
  gap_left: ({ from, to, source }: Range & { readonly source: string }, command: string) =>
    `${from} to ${to} left the scheduled range before it was verified complete, and is a coverage gap; run ${command}, or ${formatCommand("ingest", "accept", "--source", source, "--from", from, "--to", to, "--reason", "TEXT")}`,
  reads_disagree: ({ windows, reads }: { readonly windows: string; readonly reads: number }) =>
    `${windows}: ${reads} reads, of which no two consecutive ones agree; their events are loaded, but not verified complete`,
  windows_ignored: ({ source }: { readonly source: string }) =>
    `the service ignores the requested window, so windows are not split; check sources.${source}.audits.window_params`,
  window_unsplit: ({ windows, source }: { readonly windows: string; readonly source: string }) =>
    `${windows}: larger than one read should be, but sources.${source}.audits.window_params is null, so it cannot be split; it was read in one piece, and an interrupted run starts it over`,
  window_unserved: ({ from, to }: Range, command: string) =>
    `the service does not return the events of ${from} to ${to}: recorded as a coverage gap, all others are loaded; ask the operator of the service, then run ${command}`,
  ids_conflict: ({ conflicts, events }: { readonly conflicts: number; readonly events: number }) =>
    `${formatCount(conflicts, "new event")} of ${events} have the id of another event with different content: see the view id_conflicts; the log may have been altered, or the id may not identify the record`,
  events_elsewhere: ({
    events,
    from,
    to,
    source,
  }: Range & { readonly events: number; readonly source: string }) =>
    `${formatCount(events, "event")} of ${from} to ${to} arrived with other windows, after that range was verified complete; the service may select by a time other than the event time: see audits.window_params of sources.${source}`,
  pause_long: ({ pause_s: pause }: { readonly pause_s: number }) =>
    `the last read was ${formatDuration(pause)} ago; this run requests everything since then that the service still has`,
} as const;

function rangeText({ from, to }: Range): string {
  return `${from} to ${to}`;
}

function listText({ source, read_at: readAt }: UserList): string {
  return `the user list of source ${source}, read ${readAt},`;
}
