import type { Leads } from "../html/table.ts";

const fields: Readonly<Record<string, string>> = {
  actor: "person",
  actor_email: "person",
  user_email: "person",
  holder: "person",
  user_id: "person",
  ip_address: "address",
  event_name: "event",
  resource_id: "object",
  resource_name: "object",
  database_name: "object",
};

// A longer address than a server takes leads nowhere.
const maxCharacters = 1000;

/** From a cell to the events of the person, the address, the event or the object that it names, in the same range. */
export function leadsWithin(range: Readonly<Record<string, string>>): Leads {
  return ({ name }, cell) => {
    const text = String(cell);
    if (text.length > maxCharacters) return undefined;
    if (name === "table_name" && text !== "")
      return `/reports/table_readers?${new URLSearchParams({ ...range, table: text }).toString()}`;
    if (name === "event_key") return `/events/${encodeURIComponent(text)}`;
    if (name === "job_id")
      return `/reports/job_timeline?${new URLSearchParams({ job: text }).toString()}`;
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field === undefined || text === "") return undefined;
    // People without an e-mail are shown as `user 17`.
    const value = field === "person" ? text.replace(/^user (?=\d+$)/, "") : text;
    return `/events?${new URLSearchParams({ ...range, [field]: value }).toString()}`;
  };
}
