/** The views in the order in which they are made: they select from each other. Two are macros. */
export const views = [
  "in_network",
  "users",
  "events",
  "event",
  "denials",
  "ledger",
  "catalog",
  "query_activity",
  "query_tables",
  "timezone_offsets",
  "permission_marks",
  "object_lives",
  "permission_spans",
  "permission_changes",
  "policy_permissions",
  "access_timeline",
  "user_access",
  "sightings",
  "user_names",
  "timeline",
  "findings",
] as const;

/** The SQL that makes the views of a database, in its order; comments say what views and tables mean, and go with them. */
export const viewFiles: readonly string[] = [
  ...views.map((view) => `queries/views/${view}.sql`),
  "schemas/generated/comments.sql",
];
