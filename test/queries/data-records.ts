import type { Random } from "../../fixtures/random.ts";
import type { RawRecord } from "./oracle/record.ts";

const requests = [
  "/v3/export/run/Sales/orders",
  "/v3/export/run/crm/leads.json?x=1",
  "v3/export/run/crm/leads",
  "/v3/connections/7/tables/8/bulk_loads",
  "/v3/job/issue/export/sales",
];

// By few people, on few things: the same comes again within the hours that are asked about.
function refusedSchedule(random: Random, i: number): RawRecord {
  return {
    id: random.uuid(),
    event_name: "insufficient_permission",
    user_id: random.int(1, 2),
    resource_id: random.pick([null, "1", "2", "3", "4"]),
    ip_address: random.pick(["192.0.2.1", "10.0.0.3, 203.0.113.7", "unknown", "2001:db8::1"]),
    requested_http_verb: "POST",
    requested_path_info: `/api/schedules/${i}/${random.pick(["disable", "enable", "backfill"])}`,
  };
}

/** Jobs that export tables and load data, by their type, by their request or by both; and settings that say who watches. */
export function dataRecords(
  random: Random,
  count: number,
  whoAndWhen: (random: Random) => RawRecord,
): RawRecord[] {
  return Array.from({ length: count }, (_, i): RawRecord[] => [
    {
      ...whoAndWhen(random),
      id: random.uuid(),
      event_name: "job_issue",
      requested_http_verb: "POST",
      requested_path_info: random.pick(requests),
      job_type: random.pick([null, "ExportJob", "exportjob", "BulkLoadJob", "batch"]),
      resource_id: random.pick([null, `${1000 + (i % 20)}`, `${5000 + i}`]),
      resource_name: random.pick([null, "sales", `crm.${5000 + i}`]),
      target_table: random.pick([null, "", "Sales.Orders", "leads"]),
      event_result: random.pick([null, null, "denied"]),
    },
    {
      ...whoAndWhen(random),
      id: random.uuid(),
      event_name: random.pick(["account_modify", "alert_rule_disable", "log_export_x", "login_x"]),
      attribute_name: random.pick([null, "audit_log", "Notification", "logo", "status"]),
      new_value: random.pick([null, "false", ' "Off"', "true", "on", "x"]),
      amount: random.pick([null, 3]),
    },
    ...Array.from({ length: 4 }, () => ({ ...whoAndWhen(random), ...refusedSchedule(random, i) })),
  ]).flat();
}
