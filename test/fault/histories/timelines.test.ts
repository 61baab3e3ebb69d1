import { describe, expect, test } from "vitest";
import { newRandom } from "../../../fixtures/random.ts";
import { readingTexts } from "../../support/command.ts";
import { loadRecords } from "../../support/load-records.ts";
import { hostileRecords } from "../../queries/hostile-records.ts";
import { oracles } from "../../queries/oracle/all.ts";
import { comparable } from "../../queries/oracle/comparable.ts";
import type { RawRecord } from "../../queries/oracle/record.ts";
import { reports, runReport } from "../../queries/run.ts";
import { fewOrAll } from "../length.ts";

// Timelines of every subject of a log, against the oracle; the seed is in the test's name.
const users = [
  { id: 1, email: "Ann@example.com" },
  { id: 2, email: "bob@example.com" },
  { id: 77, email: "quiet@example.com" },
];
const start = Date.UTC(2026, 4, 1);
const pauses = [0, 1, 5, 60, 600, 1799, 1800, 1801, 3600];
const ownEmails: Readonly<Record<string, readonly (string | null)[]>> = {
  1: ["ann@example.com", "Ann@Example.com", null],
  2: ["bob@example.com", "bob.before@example.com", "", "ann@example.com"],
  3: ["eve@example.com", null],
  99: [null],
};
const strangers = [null, "ann@example.com", "eve@example.com", "guest@example.com"];
const subjects: Readonly<Record<string, readonly string[]>> = {
  user: [
    "1",
    "ANN@example.com",
    "bob.before@example.com",
    "3",
    "99",
    "guest@example.com",
    "quiet@example.com",
  ],
  address: ["internal", "10.0.0.1", "2001:DB8::1"],
  resource: ["1", "CRM.7", "plain", "crm", "t1"],
  job: ["7", "crm.7", "12", "none"],
};

describe.each(fewOrAll([1], [1, 2, Number(process.env["TIMELINE_SEED"] ?? 3)]))(
  "seed %i",
  (seed) => {
    test("every timeline equals its oracle", { timeout: 120_000 }, async () => {
      const records = spreadRecords(seed);
      const { connection, close } = await loadRecords(records, users, readingTexts);
      const until = Math.max(...records.map(({ time }) => Number(time))) * 1000 - 6 * 3_600_000;
      const range = { since: start + 30 * 3_600_000, until, days: 1 };
      const given = Object.entries(range).map(([name, value]): [string, string] => [
        name,
        name === "days" ? "1" : new Date(value).toISOString(),
      ]);
      try {
        for (const report of reports.filter(({ name }) => name.endsWith("_timeline"))) {
          const [, , { name: param } = { name: "" }] = report.params;
          let sessions = 0;
          for (const subject of subjects[param]!) {
            const { rows } = await runReport(
              connection,
              report,
              new Map([...given, [param, subject]]),
            );
            const expected = oracles[report.name]!(records, users, { ...range, [param]: subject });
            expect
              .soft(comparable(rows), `${report.name} ${subject}`)
              .toEqual(comparable(expected));
            sessions = Math.max(sessions, ...rows.map((row) => Number(row["session"])));
          }
          expect(sessions, report.name).toBeGreaterThan(1);
        }
      } finally {
        await close();
      }
    });
  },
);

test("the timelines differ only in their own SQL, to the letter", () => {
  const texts = reports.filter(({ name }) => name.endsWith("_timeline")).map(({ sql }) => sql);
  const shared = texts.map((sql) =>
    sql.slice(sql.indexOf("-- What became of the jobs among them")),
  );
  expect(texts).toHaveLength(4);
  expect(new Set(shared).size).toBe(1);
});

/** Odd records of a few people, each known by their own e-mails, with pauses about the length that ends a session. */
function spreadRecords(seed: number): RawRecord[] {
  const random = newRandom(seed, "spread records");
  let seconds = start / 1000;
  return hostileRecords(seed, 500).map((record) => {
    // Two events of one job in one second have no order.
    seconds += Math.max(
      random.pick(pauses),
      String(record["event_name"]).startsWith("job_") ? 1 : 0,
    );
    const id = String(record["user_id"]);
    const email = random.pick(ownEmails[id] ?? strangers);
    return {
      ...record,
      time: (seconds += 1) - 1,
      user_email: email,
      job: random.pick([null, null, "7", "crm.7"]),
    };
  });
}
