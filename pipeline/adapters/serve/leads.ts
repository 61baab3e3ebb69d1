import { isIP } from "node:net";
import type { Leads } from "../../base/html/cells.ts";
import type { Column } from "../../base/rows/row.ts";

/** What has a timeline of its own, and the report that is it. */
export const timelines = {
  user: "user_timeline",
  address: "address_timeline",
  resource: "resource_timeline",
  job: "job_timeline",
} as const;

type Kind = keyof typeof timelines;

// What the columns of reports, tables and the search name.
const named: Readonly<Record<Kind, string>> = {
  user: `actor actor_email user_email email holder user_id invited invited_id killed_by killed_by_email killed_by_user_id
    granted_by job_owner revision_by affected_user affected_user_id`,
  address: "ip_address new_address changed_from",
  resource: `resource resource_id resource_name resource_path object object_id object_name database_name database_id
    policy policy_id connection connection_id configuration configuration_id query_name query_id workflow target
    target_id target_table target_resource_id target_resource_name`,
  job: "job job_id job_name",
};

const kinds = new Map(
  Object.entries(named).flatMap(([kind, names]) =>
    names.split(/\s+/).map((name) => [name, kind as Kind] as const),
  ),
);

// Placeholders for values that were not recorded, and what a path takes for a place in it.
const nothing = new Set(["", "unknown", "not recorded", "no name", "none", ".", ".."]);

// A longer address than a server takes leads nowhere.
const maxCharacters = 1000;

const folders: Readonly<Record<Kind, string>> = {
  user: "people",
  address: "addresses",
  resource: "objects",
  job: "jobs",
};

/** The page of a person, an address, an object or a job, in a range. People without an e-mail are shown as `user 17`. */
export function buildSubjectUrl(
  kind: Kind,
  subject: string,
  range: Readonly<Record<string, string>> = {},
): string {
  const name = kind === "user" ? subject.replace(/^user (?=\d+$)/, "") : subject;
  const query = new URLSearchParams(range).toString();
  return `/${folders[kind]}/${encodeURIComponent(name)}${query === "" ? "" : `?${query}`}`;
}

/**
 * One click leads from a cell to the page of the person, address, object or job that it names, in the same range.
 * From an event it leads to its fields, from its name to all of its kind, from a table to its readers.
 */
export function newLeads(range: Readonly<Record<string, string>>): Leads {
  return (column, cell) => {
    const text = String(cell);
    if (nothing.has(text) || text.length > maxCharacters) return undefined;
    const within = new URLSearchParams(range);
    switch (column.name) {
      case "event_key":
        return `/events/${encodeURIComponent(text)}`;
      case "event_name":
        return `/events?${new URLSearchParams({ ...range, event: text }).toString()}`;
      case "table_name":
      case "tables_read":
      case "tables_written":
        within.set("table", text);
        return text.includes(",") ? undefined : `/reports/table_readers?${within.toString()}`;
    }
    const kind = classifyCell(column, text);
    if (kind === undefined) return undefined;
    // The word for the platform's own requests is no address, and has no page.
    if (kind === "address" && text === "internal")
      return `/events?${new URLSearchParams({ ...range, address: text }).toString()}`;
    return buildSubjectUrl(kind, text, range);
  };
}

// By the name of the column; else, as in a user's own statement, by the value.
function classifyCell({ name, kind: form }: Column, text: string): Kind | undefined {
  const known = kinds.get(name);
  if (known !== undefined && known !== "resource") return known;
  if (form === "text" && /^[^\s@,;]+@[^\s@,;]+$/.test(text)) return "user";
  if (form === "text" && isIP(text) !== 0) return "address";
  if (name === "subject" || name === "affected")
    return /^user \d+$/.test(text) ? "user" : "resource";
  return known;
}
