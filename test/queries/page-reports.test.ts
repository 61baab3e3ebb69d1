import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newRandom } from "../../fixtures/random.ts";
import { getAssetPath } from "../../pipeline/base/home/assets.ts";
import { resolveHome } from "../../pipeline/base/home/layout.ts";
import { findReports } from "../../pipeline/base/report/find.ts";
import { type Database, openPublished } from "../../pipeline/core/store/open.ts";
import { formatLines, homeWithWarehouse, type TestHome } from "../support/home.ts";
import { runReport } from "./run.ts";

// The reports of the built-in pages over random events, compared with loops that know no SQL and take the days of a zone
// from the runtime. Clocks of New York are set forward on 8 March 2026.
const zones = ["America/New_York", "Asia/Kathmandu", "UTC"] as const;
const dayMs = 86_400_000;
const startMs = Date.UTC(2026, 1, 5, 7, 13);
const untilMs = Date.UTC(2026, 2, 12, 15, 20);
const sinceMs = untilMs - 31 * dayMs;

type Kind = "sign-in" | "refused" | "download" | "grant" | "manage" | "machine";
type Happening = {
  readonly ms: number;
  readonly kind: Kind;
  readonly user: number;
  readonly address: string;
  readonly bytes: number;
};

const random = newRandom(5, "events of pages");
const kinds = ["sign-in", "sign-in", "refused", "download", "grant", "manage", "machine"] as const;
const happenings: Happening[] = Array.from({ length: 1500 }, () => ({
  ms: startMs + random.int(0, (untilMs + dayMs - startMs) / 1000) * 1000,
  kind: kinds[random.int(0, kinds.length - 1)]!,
  user: random.int(1, 6),
  address: `192.0.2.${random.int(1, 120)}`,
  bytes: random.int(0, 5000),
}));

function toRecord({ ms, kind, user, address, bytes }: Happening, n: number): object {
  const base = { id: `${n}`, time: ms / 1000, ip_address: address };
  const person = { ...base, user_id: user, user_email: `p${user}@example.com` };
  const change = (operation: string): object => ({
    ...person,
    event_name: "permission_policy_modify",
    resource_id: `${10_000 + n}`,
    attribute_name: "permissions",
    old_value: "{}",
    new_value: JSON.stringify({ Databases: [{ operation, ids: "7" }] }),
  });
  switch (kind) {
    case "sign-in":
      return { ...person, event_name: "sign_in_failed" };
    case "refused":
      return { ...person, event_name: "job_create_unauthorized" };
    case "download":
      return { ...person, event_name: "job_result_download", bytesize: bytes };
    case "grant":
      return change("query");
    case "manage":
      return change("manage");
    case "machine":
      return { ...base, event_name: "column_query" };
  }
}

let home: TestHome;
let database: Database;

beforeAll(async () => {
  home = await homeWithWarehouse();
  const [timezone, ...timezones] = zones;
  const config = home.write("auditlake.json", JSON.stringify({ timezone, timezones }));
  const file = home.write("records.ndjson", formatLines(happenings.map(toRecord)));
  expect(await home.run(["--config", config, "import", file])).toMatchObject({ code: 0 });
  database = await openPublished(resolveHome(home.home).published, { memoryLimit: "300MB" });
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

const { reports } = findReports(undefined, getAssetPath("queries/pages/reports"));

async function ask(name: string, zone?: string): Promise<Readonly<Record<string, unknown>>[]> {
  const report = reports.find((each) => each.name === name)!;
  const known = report.params.map((param) => param.name);
  const all = {
    since: new Date(sinceMs).toISOString(),
    until: new Date(untilMs).toISOString(),
    on: new Date(untilMs).toISOString(),
    ...(zone && { timezone: zone }),
  };
  const given = new Map(Object.entries(all).filter(([param]) => known.includes(param)));
  const { rows } = await runReport(database.connection, report, given);
  return [...rows];
}

const inRange = happenings.filter(({ ms }) => ms >= sinceMs && ms < untilMs);
const people = (kind: Kind): Happening[] => inRange.filter((each) => each.kind === kind);

/** What the calendar of a zone shows at a moment: `2026-03-08`. */
function dayIn(zone: string, ms: number): string {
  return calendars.get(zone)!.format(ms);
}

const calendars = new Map(
  zones.map((zone): [string, Intl.DateTimeFormat] => [
    zone,
    new Intl.DateTimeFormat("en-CA", { timeZone: zone, dateStyle: "short" }),
  ]),
);

function nextDay(day: string, by = 1): string {
  return new Date(Date.parse(day) + by * dayMs).toISOString().slice(0, 10);
}

function listDays(zone: string): string[] {
  const days = [dayIn(zone, sinceMs)];
  while (days.at(-1)! < dayIn(zone, untilMs - 1)) days.push(nextDay(days.at(-1)!));
  return days;
}

describe.each(zones)("page reports in the zone %s", (zone) => {
  test("have daily totals equal to their events, and zero for days without any", async () => {
    const firsts = new Map<string, number>();
    for (const { address, ms } of happenings)
      firsts.set(address, Math.min(firsts.get(address) ?? Infinity, ms));
    const expected = listDays(zone).map((day) => {
      const on = (kind: Kind): Happening[] =>
        people(kind).filter(({ ms }) => dayIn(zone, ms) === day);
      const isNew = (ms: number): boolean =>
        ms >= sinceMs && ms < untilMs && dayIn(zone, ms) === day;
      return [
        day,
        on("sign-in").length,
        on("refused").length,
        on("grant").length + on("manage").length,
        on("manage").length,
        on("download").reduce((sum, { bytes }) => sum + bytes, 0),
        [...firsts.values()].filter(isNew).length,
      ];
    });
    const rows = await ask("totals_by_day", zone);
    expect(rows.map((row) => Object.values(row).map(readNumber))).toEqual(expected);
  });

  test("show the kinds of denials of the last complete day beside the median of the same weekdays", async () => {
    const last = nextDay(dayIn(zone, untilMs), -1);
    const whole = nextDay(dayIn(zone, Math.max(sinceMs, startMs)));
    const expected = (["sign-in", "refused"] as const).map((kind) => {
      const on = (day: string): Happening[] =>
        people(kind).filter(({ ms }) => dayIn(zone, ms) === day);
      const before = [7, 14, 21, 28].map((back) => nextDay(last, -back));
      const known = before.filter((day) => day >= whole).map((day) => on(day).length);
      const sorted = known.toSorted((a, b) => a - b);
      const half = sorted.length / 2;
      const median = (sorted[Math.ceil(half) - 1]! + sorted[Math.floor(half)]!) / 2;
      const days = listDays(zone).filter((day) => day <= last);
      const peak = Math.max(...days.map((day) => on(day).length));
      return {
        kind: kind === "sign-in" ? "failed_sign_in" : "unauthorized_action",
        denials: on(last).length,
        usual: known.length < 2 ? null : median,
        people: new Set(on(last).map(({ user }) => user)).size,
        peak,
      };
    });
    const rows = await ask("denials_by_kind", zone);
    const found = rows.map((row) => {
      const cells = Object.entries(row).filter(([name]) => name !== "peak_day");
      return Object.fromEntries(cells.map(([name, cell]) => [name, readNumber(cell)]));
    });
    const byKind = (a: object, b: object): number =>
      JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
    expect(found.toSorted(byKind)).toEqual(expected.toSorted(byKind));
  });

  test("show an hour of the week as the average of people's events in four complete weeks", async () => {
    const today = dayIn(zone, untilMs);
    const hours = new Map<string, number>();
    for (const { ms, kind } of happenings) {
      const day = dayIn(zone, ms);
      if (kind === "machine" || ms >= untilMs || day >= today || day < nextDay(today, -28))
        continue;
      const shown = new Intl.DateTimeFormat("en-US", {
        timeZone: zone,
        weekday: "short",
        hour: "2-digit",
        hourCycle: "h23",
      }).formatToParts(ms);
      const read = (type: string): string => shown.find((part) => part.type === type)!.value;
      const cell = `${read("weekday")} ${Number(read("hour"))}`;
      hours.set(cell, (hours.get(cell) ?? 0) + 1);
    }
    const rows = await ask("hours_of_week", zone);
    expect(rows).toHaveLength(7 * 24);
    for (const { weekday, hour, events } of rows)
      expect([weekday, hour, Number(events)]).toEqual([
        weekday,
        hour,
        Math.round((hours.get(`${String(weekday)} ${String(hour)}`) ?? 0) / 4),
      ]);
  });
});

function readNumber(cell: unknown): unknown {
  return typeof cell === "string" && /^\d+(?:\.\d+)?$/.test(cell) ? Number(cell) : cell;
}

test("rank people by downloads, and by number of denials", async () => {
  const users = [1, 2, 3, 4, 5, 6];
  const downloads = users.map((user) => {
    const own = people("download").filter((each) => each.user === user);
    return [`p${user}@example.com`, own.length, own.reduce((sum, { bytes }) => sum + bytes, 0)];
  });
  const found = (await ask("downloads_by_person")).map((row) => Object.values(row).map(readNumber));
  expect(found).toEqual(downloads.toSorted((a, b) => Number(b[2]) - Number(a[2])));
  const denied = await ask("denied_people");
  for (const { actor, denials, days } of denied) {
    const own = [...people("sign-in"), ...people("refused")].filter(
      ({ user }) => `p${user}@example.com` === actor,
    );
    expect(Number(denials)).toBe(own.length);
    const perDay = Map.groupBy(own, ({ ms }) => dayIn(zones[0], ms));
    const texts = [...perDay].map(([day, each]) => `${day} ${each.length}`);
    expect(days).toBe(texts.toSorted().join(","));
  }
  const counts = denied.map(({ denials }) => Number(denials));
  expect(counts).toEqual(counts.toSorted((a, b) => b - a));
});

test("show the rights of the last complete day with manage first, then the newest", async () => {
  const last = nextDay(dayIn(zones[0], untilMs), -1);
  const granted = inRange
    .filter(({ kind, ms }) => /grant|manage/.test(kind) && dayIn(zones[0], ms) === last)
    .toSorted((a, b) => Number(b.kind === "manage") - Number(a.kind === "manage") || b.ms - a.ms);
  const rows = await ask("rights_granted");
  expect(
    rows.map(({ operation, event_time: time }) => [operation, String(time).slice(0, 19)]),
  ).toEqual(
    granted.map(({ kind, ms }) => [
      kind === "manage" ? "manage" : "query",
      new Date(ms).toISOString().slice(0, 19).replace("T", " "),
    ]),
  );
  expect(granted.length).toBeGreaterThan(3);
});
