import { afterAll, beforeAll, expect, test } from "vitest";
import { listUsers } from "../../fixtures/company.ts";
import { newRandom } from "../../fixtures/random.ts";
import { makeTraffic } from "../../fixtures/traffic.ts";
import { loadRecords } from "../support/load-records.ts";
import { reports, runReport, type ReportResult } from "./run.ts";

// The pages of a timeline together are the timeline: the same rows in the same order, sessions and first times included.
const seed = Number(process.env["PAGES_SEED"] ?? 1);
const random = newRandom(seed, "pages of timelines");
const dayMs = 86_400_000;
const to = Date.UTC(2026, 3, 20);
const columns = {
  user: "actor_email",
  address: "ip_address",
  resource: "coalesce(database_name, resource_name)",
  job: "case when area = 'Jobs' then resource_id else job end",
};
const kinds = Object.keys(columns) as (keyof typeof columns)[];

let database: Awaited<ReturnType<typeof loadRecords>>;
beforeAll(async () => {
  const traffic = makeTraffic({ seed, from: to - 4 * dayMs, to, eventsPerDay: 300 });
  const records = [...traffic.events()].map((event) => event.record);
  database = await loadRecords(records, listUsers(traffic.company));
}, 60_000);
afterAll(() => database.close());

/** The most frequent values of a column. */
async function subjectsOf(column: string): Promise<string[]> {
  const sql = `select ${column} from events where ${column} is not null group by 1 order by count(*) desc, 1 limit 3`;
  return (await database.connection.runAndReadAll(sql)).getRows().map(([name]) => String(name));
}

test.each(kinds)(
  "the pages of %s_timeline joined are all its rows in order",
  async (kind) => {
    const report = reports.find(({ name }) => name === `${kind}_timeline`)!;
    const read = async (given: Record<string, string>): Promise<ReportResult["rows"]> =>
      (await runReport(database.connection, report, new Map(Object.entries(given)))).rows;
    for (const subject of await subjectsOf(columns[kind])) {
      const since = to - random.int(1, 5 * 24) * (dayMs / 24);
      const until = since + random.int(1, 4 * 24) * (dayMs / 24);
      const range = {
        [kind]: subject,
        since: new Date(since).toISOString(),
        until: new Date(until).toISOString(),
        days: String(random.int(0, 3)),
      };
      const whole = await read(range);
      const newest = Math.max(1, Math.ceil(whole.length / random.int(1, 4)));
      const pages: ReportResult["rows"][] = [];
      let before = {};
      for (;;) {
        const page = await read({ ...range, ...before, newest: String(newest) });
        if (page.length === 0) break;
        pages.unshift(page);
        before = { before: String(page[0]!["event_time"]).replace(/\.\d+/, "") };
      }
      expect(pages.flat(), `${kind} ${subject} seed ${seed}`).toEqual(whole);
      if (whole.length > newest) expect(pages.at(-1)!.length).toBeLessThan(whole.length);
      for (const page of pages.slice(1)) expect(page.length).toBeGreaterThanOrEqual(newest);
    }
  },
  60_000,
);
