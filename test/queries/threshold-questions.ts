import type { Random } from "../../fixtures/random.ts";
import type { Report } from "../../pipeline/base/report/find.ts";
import type { Params } from "./oracle/rows.ts";
import { moments } from "./threshold-records.ts";

const answers: Readonly<Record<string, readonly (string | number)[]>> = {
  days: [1, 2],
  weeks: [1, 2],
  hours: [6, 12, 24],
  minutes: [360],
  failures: [1, 2],
  denials: [1, 2, 3],
  blocked: [1, 2],
  changes: [1, 2, 3],
  owners: [1, 2],
  learning_hours: [0, 24, 48],
  downloads: [1, 2],
  megabytes: [200],
  factor: [2],
  least: [1, 3],
  domain: ["example.com"],
  internal_domains: ["example.com"],
  bytes: [10, 300],
  times: [1, 2],
  usual_bytes: [100],
  weekend_days: [1],
  sensitive_columns: ["email", "leads.email, orders.phone", "sales.orders.email"],
  deletions: [1, 2],
  timezone: ["America/St_Johns", "Asia/Tokyo"],
  from_hour: [6, 9],
  to_hour: [18, 19],
  text: ["orders", "LEADS"],
  database: ["1", "SALES", "3"],
  policy: ["1", "CRM", "2"],
  user: ["1", "ANN@example.com", "3", "1, eve@example.com", "Cyd@example.com,2,user-3@example.com"],
  accounts: ["svc%", 1, 2],
  address: ["192.0.2.1", "192.0.2.2"],
  resource: ["sales", "1"],
  table: ["ORDERS", "sales.orders"],
  columns: ["email", "leads.email, orders.phone", "sales.orders.email", 1, 2],
  networks: ["192.0.2.0/28, 10.0.0.0/8", "192.0.2.4/30,198.51.100.7"],
  job: Array.from({ length: 20 }, (_, i) => `${1000 + i}`),
};

/** What a report may be asked of these records. */
export function makeQuestion(report: Report, random: Random): Params {
  const [since, until] = [random.int(4, 10), random.int(11, 16)].map((i) => moments[i]!);
  const own = report.params
    .filter(
      ({ name, defaultText }) => name in answers && (defaultText !== "null" || random.chance(0.7)),
    )
    .map(({ name, type }) => {
      const fitting = answers[name]!.filter(
        (each) => (typeof each === "number") === (type === "integer"),
      );
      return [name, random.pick(fitting)] as const;
    });
  return {
    since: since!,
    until: until!,
    on: random.pick(moments.slice(8)),
    ...Object.fromEntries(own),
  };
}
