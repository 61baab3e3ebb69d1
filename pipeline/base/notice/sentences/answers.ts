import { formatCount } from "../../terminal/amounts.ts";

type Why = { readonly why: string };

/** Sentences about reports, pages, reviews and policies. */
export const answerSentences = {
  // Reports and pages
  database_empty: (_: object, command: string) =>
    `no event is loaded yet, so no rows mean nothing; ${command} says what runs came to`,
  report_left_out: ({ why }: Why) => `report left out: ${why}`,
  rows_found: (facts: {
    readonly report: string;
    readonly rows: number;
    readonly path: string | null;
  }) =>
    `${facts.report} found ${facts.rows} ${facts.rows === 1 ? "row" : "rows"}${facts.path === null ? "" : `, ${facts.path}`}`,
  rows_cut: ({ limit }: { readonly limit: string }) =>
    `cut off after ${limit}; there is more, ask for fewer rows or columns`,
  server_fault: ({ why }: Why) => why,

  // Access reviews
  review_rows_missing: ({ rows }: { readonly rows: number }) =>
    `${formatCount(rows, "row")} of the review are in no file; they are not decided`,
  review_rows_own: ({ rows }: { readonly rows: number }) =>
    `${formatCount(rows, "row")} kept by the person whose right it is`,

  // Policies
  policy_unread: ({ policy, why }: Why & { readonly policy: string }) => `policy ${policy}: ${why}`,
  policy_ids_unusable: ({ ids }: { readonly ids: number }) =>
    `${formatCount(ids, "policy id")} of the log left out: no id that a path can carry`,
  uses_unread: ({ why }: Why) => `${why}; uses in the missing time are unknown`,
  manage_granted: ({ operation }: { readonly operation: string }) =>
    `${operation} opens every operation on every database`,
  own_rights_lost: ({
    user,
    permissions,
  }: {
    readonly user: string;
    readonly permissions: number;
  }) =>
    `${user}, whose key this is, belongs to the policy and loses ${formatCount(permissions, "permission")}`,
  change_unanswered: ({ why, is_refused: isRefused }: Why & { readonly is_refused: boolean }) =>
    `${isRefused ? "the set was refused" : "no answer that decides it"} (${why}); it was not sent again`,
  policy_keeps_more: ({ policy, kinds }: { readonly policy: string; readonly kinds: string }) =>
    `policy ${policy} is set, but the service keeps what the set did not name: ${kinds}; to take it away, name it with an empty array in a --file`,
  policies_unchanged: ({ policies }: { readonly policies: readonly string[] }) =>
    `unchanged: policies ${policies.join(", ")}`,
  change_unrecorded: ({ why }: Why) => why,
} as const;
