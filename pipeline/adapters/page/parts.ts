/** A part of the page: its heading, what it is about, and the reports that answer it, one after the other. */
export type Part = {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  /** From when on its reports ask: of the whole range, or since the last page. */
  readonly range: "whole" | "new";
  readonly reports: readonly string[];
};

/** The page from top to bottom, below the health of the pipeline. */
export const parts: readonly Part[] = [
  {
    id: "new",
    title: "New since the last page",
    about: "What had not been seen before, and what is rare enough to look at one by one.",
    range: "new",
    reports: [
      "new_denials",
      "failed_sign_ins_then_success",
      "full_access_granted",
      "administrator_changes",
      "self_grants",
      "first_database_use",
      "first_table_use",
      "destructive_statements",
    ],
  },
  {
    id: "denials",
    title: "Denials",
    about: "Who was refused what.",
    range: "whole",
    reports: ["denials_by_day", "denials_by_actor", "denials_by_operation"],
  },
  {
    id: "permissions",
    title: "Permission changes and drift",
    about: "Who gave rights and took them away, and where a policy is not what the log says.",
    range: "whole",
    reports: ["permission_changes_by_actor", "permission_changes_list", "permission_drift"],
  },
  {
    id: "queries",
    title: "Query activity and tables touched",
    about: "How much is asked, by whom, and of which databases and tables.",
    range: "whole",
    reports: [
      "activity_by_day",
      "queries_by_user",
      "queries_by_database",
      "tables_touched",
      "long_jobs",
    ],
  },
  {
    id: "access",
    title: "Access",
    about: "Who may do everything, and which rights nobody used.",
    range: "whole",
    reports: ["full_access_holders", "unused_grants"],
  },
  {
    id: "leaving",
    title: "Data leaving",
    about: "Results that were downloaded or sent elsewhere, and who read what is sensitive.",
    range: "whole",
    reports: [
      "result_downloads",
      "result_exports",
      "grant_then_download",
      "sensitive_column_reads",
    ],
  },
  {
    id: "people",
    title: "People",
    about: "Who works when, and which rights went to people who had been inactive.",
    range: "whole",
    reports: ["off_hours_activity", "dormant_user_grants"],
  },
  {
    id: "log",
    title: "The log itself",
    about:
      "How much came, of what far more or fewer than before, and what the reference does not know.",
    range: "whole",
    reports: ["events_by_day", "unusual_volumes", "unknown_events"],
  },
];
