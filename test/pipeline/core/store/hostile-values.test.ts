import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { catalog } from "../../../../schemas/generated/catalog.ts";
import { newHome, type TestHome } from "../../../support/home.ts";

// With any value of a field, the record beside it is loaded. One statement inserts many windows' worth of records,
// and a value that fails it would keep all of them out for good.

const time = 1767225600;
const digits = "9".repeat(400);

// JSON texts; some are none.
const values: readonly string[] = [
  ..."9223372036854775807 9223372036854775808 -9223372036854775808 -9223372036854775809".split(" "),
  ..."18446744073709551615 18446744073709551616 99999999999999 -99999999999999".split(" "),
  ..."100000000000000 -100000000000000 99999999999 -99999999999 100000000000".split(" "),
  ..."170141183460469231731687303715884105727 170141183460469231731687303715884105728".split(" "),
  ..."1e308 -1e308 1e309 1e400 -1e400 1e-400 1E+5 -0 -0.0 0.1e1 99999999999.999999999".split(" "),
  digits,
  `-${digits}`,
  `0.${digits}`,
  `${digits}.${digits}`,
  `1e${digits}`,
  ..."true false null {} [] [[]] [null] [1e400] NaN Infinity -Infinity 01 .5 1. +1 0x10".split(" "),
  `[${digits}]`,
  '{"a":-9223372036854775808}',
  '{"a":{"b":[1e400,"\\ud800"]}}',
  '{"":{"":""}}',
  `${"[".repeat(150)}${"]".repeat(150)}`,
  `${"[".repeat(2000)}${"]".repeat(2000)}`,
  ...['"', "\\ud800", "\\udc00", "\\udc00\\ud800", "\\ud83dx", "\\u12", "\\x", "\\"].map(
    (text) => `"${text}"`,
  ),
  ...[
    "",
    " ",
    "\\u0000",
    "a\\u0000b",
    "\\u0000".repeat(50),
    "\\ufeff",
    "\\uffff",
    "\\u202e\\u2028\\u2029",
    "e\\u0301".repeat(300),
    "\\ud83d\\ude00",
    "\u{10ffff}",
  ].map((text) => `"${text}"`),
  ...[
    ..."% _ \\ \\Q (((( [ [a-z )* (?<x> a{99999} $1 \\1 {} {a [1 ? # / // /./.. /v3/%41/_.json.gz ' ;".split(
      " ",
    ),
    ..."nan NaN inf infinity -infinity epoch now today null true YES t 1_000 0b1 0xff 1e5 1e400".split(
      " ",
    ),
    ..."-9223372036854775808 9223372036854775808 -1 +1 1. .5 1,5 ٣ １２ 00000000000000000000001".split(
      " ",
    ),
    ..."0000-00-00 0000-01-01 0001-01-01 9999-12-31 10000-01-01 294247-01-10 -290308-12-21".split(
      " ",
    ),
    "9999-12-31T23:59:59.999999999-29:59",
    "0000-01-01T00:00:00+29:59",
    "2026-02-30T24:00:00Z",
    "2026-01-01T24:00:00Z",
    "2026-01-01T10:00:00+15:59",
    "2026-01-01T10:00:00+29:59",
    "2026-01-01 10:00:00 America/New_York",
    `2026-01-01T10:00:00.${digits}Z`,
    `1767225600.${digits}`,
    `99999999999.${digits}`,
    "1767225600.0000000000000000000000000000000000000001",
    "5877642-06-25 (BC)",
    "' || (select 1) || '",
    "/a".repeat(5000),
    "x.".repeat(5000),
    digits,
    `-${digits}`,
  ].map((text) => JSON.stringify(text)),
];

const fields = Object.keys(catalog.fields);
const plain = (id: string): string => `{"time":${time},"event_name":"sign_in","id":"plain-${id}"}`;
const others = fields.filter((field) => field !== "id" && field !== "time");
const lines = fields.flatMap((field) => [
  plain(field),
  ...values.map((value, i) => {
    const members = [
      ...(field === "time" ? [] : [`"time":${time}`]),
      ...(field === "event_name" ? [] : ['"event_name":"job_kill"']),
      ...(field === "id" ? [] : [`"id":"${field}-${i}"`]),
    ];
    return `{${[...members, `"${field}":${value}`].join(",")}}`;
  }),
]);
// One value in every field at once, known or not.
const full = values.map(
  (value, i) =>
    `{"time":${time},"id":"full-${i}",${[
      ...others,
      "shade",
      "files",
      "record_bytes",
      "page",
      "Others",
    ]
      .map((field) => `"${field}":${value}`)
      .join(",")}}`,
);

describe.each([
  ["beside plain records", plain("first")],
  [
    "beside a key that differs in letter case",
    `{"time":${time},"id":"plain-first","Event_Name":"x"}`,
  ],
])("an unexpected value, %s", (_beside, first) => {
  let home: TestHome;
  let outcome: { code: number; err: string };
  beforeAll(async () => {
    home = newHome();
    outcome = await home.load([first, ...lines, ...full]);
  });
  afterAll(() => home[Symbol.dispose]());

  it("does not affect the records beside it", async () => {
    expect(outcome).toMatchObject({ code: 6 });
    const kept = "select count(*) from events where id like 'plain-%'";
    expect(await home.count(kept)).toBe(fields.length + 1);
  });

  it("is stored, as an event or in the quarantine", async () => {
    const sums = "sum(fetched)::int f, sum(inserted + duplicate + quarantined)::int a";
    const all = lines.length + full.length + 1;
    expect(await home.rows(`select ${sums} from ingest_runs`)).toEqual([{ f: all, a: all }]);
    expect(await home.count("select count(*) from events")).toBeGreaterThan(all / 2);
  });

  it("is stored in extra if a field of another type cannot hold it", async () => {
    const least = "-9223372036854775808";
    const extra = await home.rows(
      `select extra from events where id like 's%time-${values.indexOf(least)}' order by id`,
    );
    expect(extra.map((row) => JSON.parse(String(row["extra"])) as unknown)).toEqual([
      { scheduled_time: least },
      { session_time: least },
    ]);
    const bad = `select reason from quarantine where record_text like '%"time":${least}%'`;
    expect(await home.rows(bad)).toEqual([{ reason: "bad_time" }]);
  });

  it("leaves every view readable", async () => {
    const views = await home.rows(
      "select view_name from duckdb_views() where not internal and schema_name = 'main'",
    );
    expect(views.length).toBeGreaterThan(5);
    for (const view of views)
      await expect(home.rows(`from ${String(view["view_name"])}`)).resolves.toBeDefined();
  });
});
