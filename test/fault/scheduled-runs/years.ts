import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestHome } from "../../support/home.ts";
import { newFolderStore } from "../../../pipeline/adapters/lake/store.ts";
import { newRandom } from "../../../fixtures/random.ts";
import { askLake } from "../../pipeline/adapters/lake/reader.ts";
import { type LakeHome, publishThrough } from "../../pipeline/adapters/lake/scene.ts";

// Days of a home that keeps some days and publishes the rest into its lake, beside one that prunes nothing.

const dayMs = 86_400_000;
export const firstMs = Date.parse("2026-01-01T00:00:00Z");

/** The number of days, how many days the home keeps, and after how many days it prunes. */
export type DailyPlan = {
  readonly dayCount: number;
  readonly kept: number;
  readonly every: number;
  readonly events: number;
  readonly seed: number;
};

/**
 * The records of each day: sign-ins, jobs that continue on later days, permissions, ids of earlier records with other
 * content.
 */
export function makeDailyRecords({ dayCount, events, seed }: DailyPlan): object[][] {
  const random = newRandom(seed, "nights");
  const days: object[][] = Array.from({ length: dayCount }, () => []);
  const pick = (below: number): number => random.int(0, below - 1);
  for (let day = 0; day < dayCount; day++) {
    // An unreadable record.
    days[day]!.push({ id: `unread-${day}` });
    for (let i = 0; i < events; i++) {
      const time = (firstMs + day * dayMs) / 1000 + pick(86_400);
      const user = pick(9) === 0 ? 1000 + day : pick(7);
      const who = {
        user_id: user,
        email: `user${user}@example.com`,
        ip_address: `192.0.2.${pick(60)}`,
      };
      const id = `${day}-${i}`;
      const kind = pick(5);
      if (kind < 2) days[day]!.push({ time, id, event_name: "sign_in", ...who });
      else if (kind === 2) {
        const right = { resource_id: `${pick(4)}`, resource_name: `P${pick(4)}` };
        const affected = { affected_user: `user${pick(7)}@example.com` };
        if (pick(2) === 0) {
          const set = { Databases: [{ operation: "query", ids: `${pick(3)}` }] };
          days[day]!.push({
            time,
            id,
            event_name: "permission_policy_modify",
            ...who,
            ...right,
            old_value: "{}",
            new_value: JSON.stringify(set),
          });
          continue;
        }
        const what = ["attach", "detach"][pick(2)]!;
        days[day]!.push({
          time,
          id,
          event_name: `permission_policy_${what}_user`,
          ...who,
          ...right,
          ...affected,
        });
      } else if (kind === 3) {
        const job = {
          resource_id: `j${id}`,
          resource_name: `db${pick(3)}.j${id}`,
          job_type: "trino",
        };
        const text = { query_text: `select ${i} from db.t${pick(5)}` };
        days[day]!.push({ time, id, event_name: "job_issue", ...who, ...job, ...text });
        // Some end on a later day, some never.
        const end = day + pick(6);
        const ended = { ...job, attribute_name: "status", new_value: "success" };
        if (end < dayCount)
          days[end]!.push({
            time: time + (end - day) * 86_400 + 1,
            id: `${id}-end`,
            event_name: "job_status_update_by_system",
            ...ended,
          });
      } else {
        days[day]!.push({ time, id, event_name: "query_create", ...who });
        // The same id soon says something else.
        const again = day + pick(3);
        if (pick(8) === 0 && again < dayCount)
          days[again]!.push({
            time: time + 5,
            id,
            event_name: "query_create",
            ...who,
            resource_name: "x",
          });
      }
    }
  }
  return days;
}

/** Plays the days: each day is loaded and published into the lake, and days past the kept ones are pruned. */
export async function playDays(
  home: LakeHome,
  plan: DailyPlan,
  report: (day: number) => void = () => undefined,
): Promise<void> {
  const lake = join(home.home, "lake");
  mkdirSync(lake, { recursive: true, mode: 0o700 });
  writeFileSync(join(lake, "ingester.json"), JSON.stringify({ ingester }));
  for (const [day, records] of makeDailyRecords(plan).entries()) {
    const now = (): number => firstMs + (day + 1) * dayMs + 3_600_000;
    await pass(home.load(records, { now }));
    await publishThrough(home, newFolderStore(home.root), ingester, { tables: compared });
    const before = new Date(firstMs + (day + 1 - plan.kept) * dayMs).toISOString().slice(0, 10);
    if (day + 1 > plan.kept && (day + 1) % plan.every === 0)
      await pass(
        home.run(["--config", home.config, "prune", "--events", "--before", before, "--yes"], {
          now,
        }),
      );
    report(day);
  }
}

export const ingester = "feedfeedfeedfeed";

async function pass(outcome: ReturnType<TestHome["run"]>): Promise<void> {
  const { code, err } = await outcome;
  // Some records are unreadable on purpose: then an import is done in part.
  if (code !== 0 && code !== 6) throw new Error(err);
}

/** Tables with equal content whether a home prunes or not; the ledger records prunes. */
export const compared = [
  "event_rows",
  "job_rows",
  "active_day_rows",
  "access_event_rows",
  "permission_mark_rows",
  "permission_changes",
  "query_table_rows",
  "query_column_rows",
  "permission_span_rows",
  "access_timeline_rows",
  "policy_right_rows",
  "policies",
  "databases",
  "last_known_users",
  "sighting_rows",
  "id_conflict_rows",
  "quarantine",
] as const;

// The read of a row, and its time, depend on the files.
const ofReads = [
  "read_id",
  "run_id",
  "page_number",
  "record_number",
  "window_start",
  "page",
  "sha256",
  "ingester",
];

/** The rows of a table of a lake as texts, in their order, without the columns of their origin. */
export async function rowsInLake(root: string, table: string): Promise<string[]> {
  const rows = (await askLake(root, table, "cast(to_json(t) as varchar)")) ?? [];
  const dropped = table === "sighting_rows" ? ofReads : [...ofReads, "first_seen_at"];
  const kept = rows.map((row) =>
    Object.entries(JSON.parse(row) as object).filter(([name]) => !dropped.includes(name)),
  );
  return kept.map((row) => JSON.stringify(row)).sort();
}
