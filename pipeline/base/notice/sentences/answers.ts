import { formatCount } from "../../terminal/amounts.ts";

type Why = { readonly why: string };

export const answerSentences = {
  // Reports and pages
  database_empty: (_: object, command: string) =>
    `the database has no events yet, so an empty result proves nothing; ${command} shows the outcome of each run`,
  report_left_out: ({ why }: Why) => `report left out: ${why}`,
  rows_found: (facts: {
    readonly report: string;
    readonly rows: number;
    readonly path: string | null;
  }) =>
    `${facts.report} found ${facts.rows} ${facts.rows === 1 ? "row" : "rows"}${facts.path === null ? "" : `, ${facts.path}`}`,
  rows_cut: ({ limit }: { readonly limit: string }) =>
    `output ends after ${limit}, the result has more; select fewer rows or columns`,
  server_fault: ({ why }: Why) => why,

  // Access reviews
  review_rows_missing: ({ rows }: { readonly rows: number }) =>
    `${formatCount(rows, "row")} of the review are in none of the files and stay undecided`,
  review_rows_own: ({ rows }: { readonly rows: number }) =>
    `${formatCount(rows, "row")} decided by the person who has the right`,

  // Policies
  policy_unread: ({ policy, why }: Why & { readonly policy: string }) => `policy ${policy}: ${why}`,
  policy_ids_unusable: ({ ids }: { readonly ids: number }) =>
    `skipped ${formatCount(ids, "policy id")} of the log: not valid in a URL path`,
  uses_unread: ({ why }: Why) => `${why}; uses in that time are unknown`,
  manage_granted: ({ operation }: { readonly operation: string }) =>
    `${operation} grants every operation on every database`,
  own_rights_lost: ({
    user,
    permissions,
  }: {
    readonly user: string;
    readonly permissions: number;
  }) =>
    `${user}, the owner of the API key, is a member of the policy and loses ${formatCount(permissions, "permission")}`,
  change_unanswered: ({ why, is_refused: isRefused }: Why & { readonly is_refused: boolean }) =>
    `${isRefused ? "the service refused the set" : "the outcome of the set is unknown"} (${why}); auditlake did not resend it`,
  policy_keeps_more: ({ policy, kinds }: { readonly policy: string; readonly kinds: string }) =>
    `policy ${policy} was set, but the service retains permissions that the set does not name: ${kinds}; to remove them, name each with an empty array in a --file`,
  policies_unchanged: ({ policies }: { readonly policies: readonly string[] }) =>
    `unchanged: policies ${policies.join(", ")}`,
  change_unrecorded: ({ why }: Why) => why,
} as const;
