import { expect, test } from "vitest";
import { listUsers } from "../../../fixtures/company.ts";
import { makeTraffic } from "../../../fixtures/traffic.ts";
import { readAsset } from "../../../pipeline/base/home/assets.ts";
import { listMissingParams } from "../../../pipeline/base/report/params.ts";
import { readingTexts } from "../../support/command.ts";
import { loadRecords } from "../../support/load-records.ts";
import { hostileRange, hostileRecords } from "../../queries/hostile-records.ts";
import { oracles } from "../../queries/oracle/all.ts";
import { innerRange, makeSubjects, thresholds } from "../../queries/oracle/cases.ts";
import { comparable } from "../../queries/oracle/comparable.ts";
import type { RawRecord, User } from "../../queries/oracle/record.ts";
import { reports, runReport } from "../../queries/run.ts";
import { fewOrAll } from "../length.ts";

// Every report against a computation of its own over the raw records; the seed is in the test's name.
const from = Date.UTC(2026, 2, 1);
const to = from + 21 * 86_400_000;
const filled = new Set<string>();
/** Reports that gave several rows with one `event_key`, and those that gave rows with one. */
let keysOfOwn = 0;
const [severalRows, keyed] = [new Set<string>(), new Set<string>()];
/** Reports on the ledger instead of the records: ledger-reports.test.ts compares these. */
const ofLedger = new Set([
  "delivery_history",
  "duplicate_records",
  "undelivered_rows",
  "late_events",
  "quarantined_records",
  "vanished_events",
  "windows_not_final",
]);
type Range = { readonly since: number; readonly until: number; readonly on: number };

test.each(fewOrAll([1], [1, 4711]))(
  "reports equal their oracles on ordinary traffic, seed %i",
  { timeout: 120_000 },
  async (seed) => {
    const traffic = makeTraffic({ seed, from, to, eventsPerDay: 600 });
    // A day on which nothing came.
    const [silentFrom, silentTo] = [15, 16].map((day) => (from + day * 86_400_000) / 1000);
    const records = [...traffic.events()]
      .map((event) => event.record)
      .filter(({ time }) => Number(time) < silentFrom! || Number(time) >= silentTo!);
    const all = [...records, ...firstUses((from + 10.5 * 86_400_000) / 1000)];
    await compareAll(all, listUsers(traffic.company), innerRange(from, to), seed);
  },
);

test.each(fewOrAll([2], [1, 2, 3]))(
  "reports equal their oracles on hostile records, seed %i",
  { timeout: 120_000 },
  async (seed) => {
    const users = [
      { id: 1, email: "Ann@example.com" },
      { id: 2, email: "bob@example.com" },
      // Recorded by e-mail alone, and not at all.
      { id: 78, email: "Eve@example.com" },
      { id: 79, email: "quiet@example.com", administrator: true },
    ];
    await compareAll(hostileRecords(seed, 1500), users, hostileRange, seed);
  },
);

test("every report was compared on some result with rows", () => {
  const compared = reports.map(({ name }) => name).filter((name) => !ofLedger.has(name));
  // Only a snapshot shows one, and no record is one: access-drift.simulation.test.ts has some.
  expect(compared.filter((name) => !filled.has(name))).toEqual(["unexplained_right"]);
});

test("event_key is unique in a report, unless docs/delivery.md lists the report as having several rows per event", () => {
  const text = readAsset("docs/delivery.md");
  const [, listed] = /An event may have several rows in ([^.]+)\./.exec(text)!;
  const documented = [...listed!.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  expect(documented).toEqual(documented.toSorted());
  expect(documented.filter((name) => !keyed.has(name!))).toEqual([]);
  expect([...severalRows].filter((name) => !documented.includes(name))).toEqual([]);
  expect(severalRows.size).toBeGreaterThan(5);
  expect(keysOfOwn).toBeGreaterThan(100);
});

// A host, an image, a domain and a new administrator that the traffic has not.
function firstUses(time: number): RawRecord[] {
  const used = { workflow_http_call: { event_detail: "POST https://new.example.net:8443/x" } };
  const run = { custom_script_task_starts: { docker_image: "new.example.net/image:1" } };
  const mailed = { workflow_email_send: { mail_to: "ann@new.example.net" } };
  const guest = { resource_id: "900001", resource_name: "guest@new.example.net" };
  const flag = { old_value: "{}", new_value: '{"administrator":true}' };
  const come = { user_invite: guest, user_modify: { ...guest, ...flag } };
  return Object.entries({ ...used, ...run, ...mailed, ...come }).map(([event_name, own]) => ({
    id: `first ${event_name}`,
    time,
    event_name,
    user_id: 1,
    ...own,
  }));
}

/** The statement that docs/delivery.md gives for reports with several rows per event. */
function ownKey(): string {
  return /```sql\n(select[^`]*change_key[^`]*)```/.exec(readAsset("docs/delivery.md"))![1]!;
}

function countKeys(name: string, rows: readonly Readonly<Record<string, unknown>>[]): void {
  const keys = rows.flatMap((row) => ("event_key" in row ? [row["event_key"]] : []));
  if (keys.length > 0) keyed.add(name);
  if (new Set(keys).size < keys.length) severalRows.add(name);
}

/** Compares every report with its oracle, row by row. */
async function compareAll(
  records: readonly RawRecord[],
  users: readonly User[],
  range: Range,
  seed: number,
): Promise<void> {
  const { connection, close } = await loadRecords(records, users, readingTexts, {
    timezones: ["America/St_Johns", "Asia/Tokyo"],
  });
  try {
    const subjects = makeSubjects(records, range, seed);
    for (const report of reports.filter(({ name }) => !ofLedger.has(name))) {
      const needed = listMissingParams(report, new Map()).map(({ name }) => [
        name,
        subjects[name]!,
      ]);
      const own = { ...thresholds[report.name], ...Object.fromEntries(needed) };
      const { rows } = await runReport(connection, report, listGiven(range, own));
      const oracle = oracles[report.name];
      expect(oracle, `${report.name} has an oracle`).toBeDefined();
      const expected = oracle!(records, users, { ...range, ...own });
      expect.soft(comparable(rows), report.name).toEqual(comparable(expected));
      if (rows.length > 0) filled.add(report.name);
      countKeys(report.name, rows);
    }
    const own = await connection.runAndReadAll(`select change_key from (${ownKey()})`);
    const keys = own.getRows().map(([key]) => key);
    expect(new Set(keys).size).toBe(keys.length);
    keysOfOwn += keys.length;
  } finally {
    await close();
  }
}

function listGiven(
  range: Range,
  own: Readonly<Record<string, number | string>>,
): ReadonlyMap<string, string> {
  const times = Object.entries(range).map(
    ([name, ms]) => [name, new Date(ms).toISOString()] as const,
  );
  const rest = Object.entries(own).map(([name, value]) => [name, String(value)] as const);
  return new Map([...times, ...rest]);
}
