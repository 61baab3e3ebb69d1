import { formatCommand } from "../../command-line.ts";
import { formatCount } from "../../terminal/amounts.ts";

type Why = { readonly why: string };

/** Sentences about the home, the store, imports, rebuilds and the lake. */
export const storeSentences = {
  suppression_ends: ({
    detection,
    until,
  }: {
    readonly detection: string;
    readonly until: string;
  }) =>
    `a suppression of ${detection} ends ${until}; ${formatCommand("findings", "suppressions")} lists it`,
  findings_failed: ({ error }: { readonly error: string }) =>
    `findings are not up to date: ${error}`,
  detection_failed: ({
    detection,
    error,
  }: {
    readonly detection: string;
    readonly error: string;
  }) =>
    `the detection ${detection} failed: ${error}; the next run evaluates it over the same range`,

  // The log over landed files
  evidence_broken: ({ why }: Why) =>
    `the evidence log is not up to date (${why}); data is loaded nevertheless`,
  evidence_changed: ({ why }: Why) =>
    `the evidence log was modified, so its head remains unchanged: ${why}`,
  evidence_unsigned: ({ why }: Why) => `the head of the evidence log is not signed: ${why}`,
  evidence_heads: ({ why }: Why) => `the head of the evidence log was not sent: ${why}`,
  evidence_witness: ({ why }: Why) =>
    `the witness did not sign the head of the evidence log: ${why}`,

  // The home and its databases
  home_readable: ({ home, mode }: { readonly home: string; readonly mode: string }) =>
    `home ${home} has mode ${mode}, expected 700: others may read it; run chmod 700 on it`,
  log_set_aside: ({ log, why, to }: Why & { readonly log: string; readonly to: string }) =>
    `${log} ${why}; it was renamed to ${to}`,
  log_removed: ({ log }: { readonly log: string }) =>
    `removed ${log}: another program opened the published database for writing, and its changes are discarded`,
  database_unopened: ({ database, why }: Why & { readonly database: string }) =>
    `${database} does not open: ${why}`,
  database_damaged: ({ database, why }: Why & { readonly database: string }) =>
    `${database} is damaged: ${why}`,
  published_damaged: ({ published, why }: Why & { readonly published: string }) =>
    `${published} is damaged, too: ${why}`,
  database_replaced: ({ by }: { readonly by: string | null }) =>
    `${by === null ? "a new database" : `a copy of ${by}`} replaces it; the next ingest or rebuild loads the missing stored reads`,
  damaged_retained: ({ path }: { readonly path: string }) =>
    `the damaged database was moved to ${path}; delete it when you no longer need it`,
  publication_failed: ({ why }: Why) => why,
  deliveries_unpublished: ({ why }: Why) =>
    `delivery_runs is not published yet, the next run that writes publishes it: ${why}`,
  catalog_extra_broken: ({ why }: Why) =>
    `catalog.extra: ${why}; correct the file; until then auditlake uses the last valid copy, if it has one`,
  texts_waiting: ({ why }: Why) => `${why}; query texts stay pending until the next run`,

  // Import and rebuild
  file_unread: ({ file, why }: Why & { readonly file: string }) => `${file}: ${why}`,
  file_unusable: (
    { file, records }: { readonly file: string; readonly records: number },
    command: string,
  ) =>
    `${file}: ${formatCount(records, "record")}, none of them readable; for the reasons, run ${command}`,
  file_quarantined: (
    { file, records }: { readonly file: string; readonly records: number },
    command: string,
  ) =>
    `${file}: ${formatCount(records, "record")} could not be read and went to the quarantine; see ${command}`,
  events_nameless: ({ file, records }: { readonly file: string; readonly records: number }) =>
    `${file}: ${formatCount(records, "new record")} without an event_name; check whether they are events of the audit log`,
  records_unlike: (
    facts: { readonly source: string; readonly records: number; readonly id_at: string | null },
    command: string,
  ) =>
    `${formatCount(facts.records, "record")} without an id counted as duplicates, although fields outside the catalog differ from those of the stored events: events may be missing. If one of these fields identifies the record, set sources.${facts.source}.audits.id_at${facts.id_at === null ? "" : ` (now ${facts.id_at})`} to its path and run "${command}"`,
  left_out: ({ what }: { readonly what: string }) => `left out: ${what}`,

  // The lake and its query engine
  lake_ahead: ({ lost }: { readonly lost: readonly string[] }) =>
    `the lake is newer than this database and is rolled back to match it; the lake loses ${lost.length === 0 ? "no event and no run" : lost.join(", ")}`,
  lake_unpublished: ({ why }: Why) => `the loaded events are not in the lake: ${why}`,
  node_lost: ({ during }: { readonly during: string }) =>
    `the engine lost a node during ${during}; auditlake retries it`,
  report_unportable: ({ report, has }: { readonly report: string; readonly has: string }) =>
    `report ${report} may return different rows on the engine: it has ${has}`,
} as const;
