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
  }) => `the detection ${detection} failed: ${error}; the next run evaluates it over the same time`,

  // The log over landed files
  evidence_broken: ({ why }: Why) =>
    `the evidence log is not kept up to date (${why}); data is loaded all the same`,
  evidence_changed: ({ why }: Why) =>
    `the evidence log was changed, its head stays as it was: ${why}`,
  evidence_unsigned: ({ why }: Why) => `the head of the evidence log is not signed: ${why}`,
  evidence_heads: ({ why }: Why) => `the head of the evidence log did not leave this home: ${why}`,
  evidence_witness: ({ why }: Why) =>
    `the witness did not sign the head of the evidence log: ${why}`,

  // The home and its databases
  home_readable: ({ home, mode }: { readonly home: string; readonly mode: string }) =>
    `home ${home} has mode ${mode}, expected 700: others may read it; run chmod 700 on it`,
  log_set_aside: ({ log, why, to }: Why & { readonly log: string; readonly to: string }) =>
    `${log} ${why}; it was renamed to ${to}`,
  log_removed: ({ log }: { readonly log: string }) =>
    `removed ${log}: another program had opened the readers' file for writing, and what it wrote there is replaced`,
  database_unopened: ({ database, why }: Why & { readonly database: string }) =>
    `${database} does not open: ${why}`,
  database_damaged: ({ database, why }: Why & { readonly database: string }) =>
    `${database} is damaged: ${why}`,
  published_damaged: ({ published, why }: Why & { readonly published: string }) =>
    `${published} is damaged, too: ${why}`,
  database_replaced: ({ by }: { readonly by: string | null }) =>
    `${by === null ? "a new one" : `a copy of ${by}`} takes its place; the next ingest or rebuild loads the stored reads that are missing`,
  damaged_retained: ({ path }: { readonly path: string }) =>
    `the damaged database was kept as ${path}; remove it when you no longer need it`,
  publication_failed: ({ why }: Why) => why,
  deliveries_unpublished: ({ why }: Why) =>
    `delivery_runs is not published yet, the next run that writes brings it: ${why}`,
  catalog_extra_broken: ({ why }: Why) =>
    `catalog.extra: ${why}; correct the file; until then the last copy that was read applies, if there is one`,
  texts_waiting: ({ why }: Why) => `${why}; query texts stay pending until the next run`,

  // Import and rebuild
  file_unread: ({ file, why }: Why & { readonly file: string }) => `${file}: ${why}`,
  file_unusable: (
    { file, records }: { readonly file: string; readonly records: number },
    command: string,
  ) =>
    `${file}: ${formatCount(records, "record")}, and none of them could be read; see the reasons: ${command}`,
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
    `${formatCount(facts.records, "record")} without an id counted as known, although fields that the catalog does not know differ from those of the stored events: events may be missing. If one of these fields names the record, set sources.${facts.source}.audits.id_at${facts.id_at === null ? "" : ` (now ${facts.id_at})`} to its path and run "${command}"`,
  left_out: ({ what }: { readonly what: string }) => `left out: ${what}`,

  // The lake and its query engine
  lake_ahead: ({ lost }: { readonly lost: readonly string[] }) =>
    `the lake is newer than this database, and becomes level with it; the lake loses ${lost.length === 0 ? "no event and no run" : lost.join(", ")}`,
  lake_unpublished: ({ why }: Why) => `what was loaded is not in the lake: ${why}`,
  node_lost: ({ during }: { readonly during: string }) =>
    `the engine lost a node during ${during}; auditlake retries it`,
  report_unportable: ({ report, has }: { readonly report: string; readonly has: string }) =>
    `report ${report} may give other rows on the engine than here: it has ${has}`,
} as const;
