import { newRandom } from "../../../fixtures/random.ts";
import { listFacts, type Fact, type RawRecord } from "./record.ts";
import { hourMs, within } from "./rows.ts";
import { tablesIn } from "./texts.ts";

/** Thresholds that find something in a few weeks of traffic; a report without an entry keeps its defaults. */
export const thresholds: Readonly<Record<string, Readonly<Record<string, number | string>>>> = {
  address_list_changes: { hours: 1, days: 2 },
  dormant_user_grants: { days: 2, learning_hours: 48 },
  failed_sign_ins_then_success: { failures: 2, minutes: 15 },
  first_database_use: { days: 5 },
  api_key_then_new_address: { hours: 48, days: 2 },
  first_downloads: { days: 5 },
  unusual_volumes: { weeks: 2, factor: 2, least: 4 },
  workflow_mails: { domain: "example.com" },
  first_table_use: { days: 5 },
  unread_tables: { days: 5 },
  large_downloads: { bytes: 200_000_000, times: 1 },
  mass_deletion: { deletions: 2, times: 1 },
  new_http_host: { learning_hours: 24 },
  silent_event: { days: 3, weekend_days: 1 },
  new_script_image: { learning_hours: 24 },
  table_export: { learning_hours: 24 },
  workflow_mail_outside: { learning_hours: 24 },
  new_addresses: { days: 5 },
  grant_then_download: { hours: 1, downloads: 1 },
  long_jobs: { minutes: 10 },
  new_denials: { days: 5 },
  probing: { least: 2, minutes: 30 },
  shared_addresses: { networks: "203.0.113.64/26, 10.0.0.1" },
  database_access: { hours: 3 },
  // Half an hour off, and with a change of clocks in the traffic and in the hostile records' February none.
  busiest_hours: { timezone: "America/St_Johns" },
  denials_by_hour: { timezone: "America/St_Johns" },
  off_hours_activity: { from_hour: 7, to_hour: 20, timezone: "America/St_Johns" },
  off_hours_permission_changes: { from_hour: 9, to_hour: 17, timezone: "Asia/Tokyo" },
  queries_with_text: { text: "Join" },
  mass_permission_changes: { changes: 2, minutes: 600 },
  self_grant_then_download: { hours: 48, downloads: 1 },
  audit_log_read: { learning_hours: 24 },
  new_user_full_access: { learning_hours: 24, hours: 240 },
  repeated_denials: { denials: 3 },
  slow_password_guessing: { failures: 2 },
  password_spraying: { accounts: 2, minutes: 600 },
  blocked_sign_ins: { blocked: 1 },
  many_networks: { least: 1 },
  full_access_new_address: { learning_hours: 24 },
  dormant_account_active: { days: 1 },
  api_keys_harvested: { owners: 1 },
  hidden_columns_probed: { columns: 2 },
};

/** A range inside the traffic whose ends are no day's ends, so that half-open ranges show, and a moment in it. */
export function innerRange(from: number, to: number): { since: number; until: number; on: number } {
  const until = to - 7 * hourMs;
  return { since: from + 6 * 24 * hourMs + 5 * hourMs, until, on: until - 3 * 24 * hourMs };
}

/** A person and an object that occur in the records of the range, by the parameters that take them. */
export function makeSubjects(
  records: readonly RawRecord[],
  range: { readonly since: number; readonly until: number },
  seed: number,
): Record<string, string> {
  const random = newRandom(seed, "subjects");
  const facts = listFacts(records, []).filter((f) => within(range, f.time));
  const pick = (of: (fact: Fact) => string | null): string =>
    random.pick(facts.map(of).filter((text) => text !== null && text.trim() !== ""))!;
  return {
    user: [1, 2]
      .map(() => pick(({ email, userId }) => (random.chance(0.5) ? email : userId)))
      .join(","),
    address: pick(({ ip }) => ip).toUpperCase(),
    resource: pick((f) => f.text("resource_name") ?? f.text("resource_id")),
    table: tablesIn(
      pick((f) => (tablesIn(f.text("query_text")).length > 0 ? f.text("query_text") : null)),
    )[0]!.table,
    networks: "203.0.113.0/25, 198.51.100.0/24, 2001:db8::/36, 10.0.0.1",
    job: pick((f) => (f.area === "Jobs" ? f.text("resource_id") : null)),
  };
}
