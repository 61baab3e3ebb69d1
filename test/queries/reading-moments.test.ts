import { afterAll, beforeAll, expect, it, test } from "vitest";
import { homeWithWarehouse, type TestHome } from "../support/home.ts";
import type { Row } from "../support/rows.ts";

// One reading each, and what the log has around it.
const noonMs = Date.UTC(2026, 2, 2, 12);
const manage = '{"Databases":[{"operation":"manage"}]}';
const query = '{"Databases":[{"operation":"query","ids":"3"}]}';
const edit = '{"Databases":[{"operation":"edit","ids":"3"}]}';
const nothing = '{"Databases":[]}';

type Event = readonly [second: number, event: string, before?: string, after?: string];
/** The interval of a reading in seconds, without dates if it is a single number. */
type Reading = readonly [fromS: number, untilS: number | undefined, body: string | null];
type Case = { readonly log: readonly Event[]; readonly readings: readonly Reading[] };

const revoke: Event = [100, "modify", manage, query];
const cases: Readonly<Record<string, Case>> = {
  "shows the set before a change of its interval": { log: [revoke], readings: [[95, 106, manage]] },
  "shows the set after a change of its interval": { log: [revoke], readings: [[95, 106, query]] },
  "shows another set than the changes of its interval": {
    log: [revoke, [200, "modify", query, edit]],
    readings: [[95, 106, nothing]],
  },
  "comes after a change": { log: [revoke], readings: [[101, 103, manage]] },
  "has no time": { log: [], readings: [[50, undefined, manage]] },
  "has no time and shows the set before a change": {
    log: [revoke],
    readings: [[3000, undefined, manage]],
  },
  "has no time and shows what the log has": {
    log: [[-200_000, "modify", nothing, query]],
    readings: [[50, undefined, query]],
  },
  "is the first since a creation": { log: [[0, "create"]], readings: [[50, 52, query]] },
  "is of a policy whose id is used again": {
    log: [
      [100, "delete"],
      [200, "create"],
    ],
    readings: [[50, 52, query]],
  },
  "is of a policy whose id is used again after a deletion that the log does not have": {
    log: [
      [0, "modify", nothing, query],
      [200, "create"],
    ],
    readings: [],
  },
  "finds no policy, whose id is used again after that": {
    log: [
      [0, "modify", nothing, query],
      [200, "create"],
    ],
    readings: [[100, 102, null]],
  },
};
const names = Object.keys(cases);
const getId = (name: string): string => String(100 + names.indexOf(name));

const getTime = (second: number): string => new Date(noonMs + second * 1000).toISOString();
const computeSecond = (value: Row[string]): number | null =>
  value === null ? null : (Date.parse(`${String(value).replace(" ", "T")}Z`) - noonMs) / 1000;

let home: TestHome;
beforeAll(async () => {
  home = await homeWithWarehouse();
  const records = names.flatMap((name) =>
    cases[name]!.log.map(([second, event, old_value, new_value]) => ({
      id: `${getId(name)}-${second}`,
      time: noonMs / 1000 + second,
      event_name: `permission_policy_${event}`,
      resource_id: getId(name),
      ...(old_value === undefined ? {} : { old_value, new_value }),
    })),
  );
  expect(await home.load(records)).toMatchObject({ code: 0 });
  for (const name of names)
    for (const [n, [fromS, untilS, body]] of cases[name]!.readings.entries())
      land(name, n, fromS, untilS, body);
  expect(await home.run(["rebuild"])).toMatchObject({ code: 0 });
});
afterAll(() => home[Symbol.dispose]());

function land(
  name: string,
  n: number,
  fromS: number,
  untilS: number | undefined,
  body: string | null,
): void {
  const interval =
    untilS === undefined
      ? { read_at: getTime(fromS) }
      : { read_at: getTime(untilS - 1), earliest_at: getTime(fromS), latest_at: getTime(untilS) };
  const snapshot_id = `s${n}-${getId(name)}`;
  const policies = [{ policy_id: getId(name), ...interval, body }];
  const document = { version: 1, snapshot_id, source: "default", policies };
  home.write(`home/landing/policies/${snapshot_id}.json`, JSON.stringify(document));
}

async function readTimeline(name: string): Promise<unknown[]> {
  const rows = await home.rows(`
    select * from access_timeline where subject_kind = 'policy' and subject_id = '${getId(name)}'
    order by valid_from nulls first, operation`);
  return rows.map((row) => [
    row["operation"],
    computeSecond(row["valid_from"]),
    computeSecond(row["valid_to"]),
    row["evidence"],
    row["is_uncertain"],
  ]);
}

const logAlone = [
  ["manage", null, 100, "inferred", false],
  ["query", 100, null, "logged", false],
];
const expected: Readonly<Record<string, unknown[]>> = {
  "shows the set before a change of its interval": logAlone,
  "shows the set after a change of its interval": logAlone,
  // Until the log states the next set.
  "shows another set than the changes of its interval": [
    ["manage", null, 100, "inferred", false],
    ["query", 100, 200, "contradicted", false],
    ["edit", 200, null, "logged", false],
  ],
  "comes after a change": [
    ["manage", null, 100, "inferred", false],
    ["manage", 100, 102, "contradicted", false],
    ["query", 100, 102, "contradicted", false],
    ["manage", 102, null, "seen", false],
  ],
  "has no time": [
    ["manage", null, 50, "inferred", true],
    ["manage", 50, null, "seen", true],
  ],
  "has no time and shows the set before a change": logAlone,
  "has no time and shows what the log has": [["query", -200_000, null, "logged", false]],
  "is the first since a creation": [
    ["query", 0, 51, "inferred", true],
    ["query", 51, null, "seen", false],
  ],
  "is of a policy whose id is used again": [
    ["query", null, 51, "inferred", false],
    ["query", 51, 100, "seen", false],
  ],
  "is of a policy whose id is used again after a deletion that the log does not have": [
    ["query", 0, 200, "logged", false],
  ],
  "finds no policy, whose id is used again after that": [["query", 0, 101, "contradicted", false]],
};

it.each(names)("the timeline of a reading that %s is right", async (name) => {
  expect(await readTimeline(name)).toEqual(expected[name]);
});

test("a right that is known from a reading without a time is uncertain for every reader", async () => {
  const name = "has no time";
  const [row] = await home.rows(
    `select distinct known_from from policy_rights where policy_id = '${getId(name)}'`,
  );
  expect(row).toEqual({ known_from: "snapshot, time unknown" });
  const argv = ["policy", "get", getId(name), "--on", getTime(60), "--format", "json"];
  const { code, out, err } = await home.run(argv);
  expect(code, err).toBe(0);
  expect(JSON.parse(out)).toMatchObject([{ operation: "manage", is_certain: false }]);
});

test("drift is what contradicts the timeline, and not what it infers", async () => {
  const argv = [
    "report",
    "run",
    "permission_drift",
    "--param",
    "on=2026-03-04",
    "--format",
    "json",
  ];
  const { code, out, err } = await home.run(argv);
  expect(code, err).toBe(0);
  const rows = (JSON.parse(out) as Row[]).filter((row) => row["difference"] !== "no snapshot");
  expect(rows.map((row) => [row["policy_id"], row["difference"], row["operation"]])).toEqual([
    [getId("shows another set than the changes of its interval"), "only in the log", "query"],
    [getId("comes after a change"), "only in the log", "query"],
    [getId("comes after a change"), "only in the snapshot", "manage"],
    [
      getId("finds no policy, whose id is used again after that"),
      "gone without a deletion in the log",
      null,
    ],
    [getId("finds no policy, whose id is used again after that"), "only in the log", "query"],
  ]);
});
