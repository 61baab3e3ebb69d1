import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newHome, type TestHome } from "../../../../../support/home.ts";
import type { Row } from "../../../../../support/rows.ts";
import { readCpuMs } from "../../../../../support/cost.ts";
import { formatCount } from "../../../../../../pipeline/base/terminal/amounts.ts";

// Where every value ends: in a typed column, `extra`, or the quarantine, and never nowhere.

const time = 1767225600;
const day = "2026-01-01";

const moments: readonly (readonly [time: unknown, moment: string])[] = [
  [time, `${day} 00:00:00`],
  ["1767225600", `${day} 00:00:00`],
  [time + 0.5, `${day} 00:00:00.5`],
  ["1767225600.123456", `${day} 00:00:00.123456`],
  [1767225600123, `${day} 00:00:00.123`],
  ["1767225600123", `${day} 00:00:00.123`],
  [0, "1970-01-01 00:00:00"],
  [day, `${day} 00:00:00`],
  [`${day}T10:00:00Z`, `${day} 10:00:00`],
  [`${day}t10:00:00z`, `${day} 10:00:00`],
  [`${day}T10:00:00`, `${day} 10:00:00`],
  [`${day} 10:00:00`, `${day} 10:00:00`],
  [`${day}T10:00`, `${day} 10:00:00`],
  [`${day}T10:00Z`, `${day} 10:00:00`],
  [`${day} 10:00:00 UTC`, `${day} 10:00:00`],
  [`${day} 10:00:00 -0500`, `${day} 15:00:00`],
  [`${day}T10:00:00+09:00`, `${day} 01:00:00`],
  [`${day}T00:30:00+05:30`, "2025-12-31 19:00:00"],
  [`${day}T10:00:00+09`, `${day} 01:00:00`],
  [`${day}T10:00:00.123Z`, `${day} 10:00:00.123`],
  // The hour that a change of clocks leaves out, and the one it repeats, have their zone with them.
  ["2026-03-29T02:30:00+01:00", "2026-03-29 01:30:00"],
  ["2026-10-25T02:30:00+02:00", "2026-10-25 00:30:00"],
  ["2026-10-25T02:30:00+01:00", "2026-10-25 01:30:00"],
  [`${day}T10:00:00.123456789+00:00`, `${day} 10:00:00.123456`],
  [1767225600123456, `${day} 00:00:00.123456`],
  ["1767225600123456789", `${day} 00:00:00.123456`],
  [1.7672256e18, `${day} 00:00:00`],
  ["20260101T100000Z", `${day} 10:00:00`],
  [`${day}T10:00:00,5Z`, `${day} 10:00:00.5`],
  ["Thu, 01 Jan 2026 10:00:00 GMT", `${day} 10:00:00`],
  ["1 Jan 2026 10:00:00 -0500", `${day} 15:00:00`],
  ["2016-12-31T23:59:60Z", "2017-01-01 00:00:00"],
];

const noMoments: readonly unknown[] = [
  "",
  "soon",
  "epoch",
  "infinity",
  "now",
  -1,
  1e308,
  true,
  [time],
  { at: time, zone: "Z" },
  "0x69560000",
  "1_767_225_600",
  "1767225600,5",
  "2026-02-30",
  "2026-13-01T00:00:00Z",
  `${day}T10:00:61Z`,
  `${day}T10:00:00+25:99`,
  "01/02/2026",
  "9999-01-01",
  "Thu, 01 Jan 2026 10:00:00 PST",
  "1969-12-31",
  "NaN",
];

describe("times of records", () => {
  let home: TestHome;
  let outcome: string;
  beforeAll(async () => {
    home = newHome();
    const all = [...moments.map(([at]) => at), ...noMoments, null, undefined];
    const records = all.map((at, i) => ({
      event_name: "job_kill",
      session_id: String(i),
      time: at,
    }));
    outcome = (await home.load(records)).err;
  });
  afterAll(() => home[Symbol.dispose]());

  it("are read in every form, without a zone as UTC", async () => {
    const rows = await home.rows(
      "select event_time from events order by cast(session_id as integer)",
    );
    expect(rows.map((row) => row["event_time"])).toEqual(moments.map(([, moment]) => moment));
  });

  it("that are invalid quarantine the record as received", async () => {
    const [bad, none] = [noMoments.length, 2];
    expect(outcome).toContain(`${bad + none} quarantined`);
    expect(await home.count("select count(*) from quarantine where reason = 'bad_time'")).toBe(bad);
    expect(await home.count("select count(*) from quarantine where reason = 'no_time'")).toBe(none);
    const texts = await home.rows("select record_text from quarantine");
    const found = texts.map((row) => JSON.parse(String(row["record_text"])) as { time?: unknown });
    const write = (value: unknown): string => JSON.stringify(value) ?? "absent";
    expect(found.map((record) => write(record.time)).sort()).toEqual(
      [...noMoments, null, undefined].map(write).sort(),
    );
  });
});

type Fit = readonly [field: string, json: string, column: unknown, extra: unknown];
const long = "9".repeat(30);
const fits: readonly Fit[] = [
  ["user_id", "7", "7", null],
  ["user_id", '"7"', "7", null],
  ["user_id", "9223372036854775807", "9223372036854775807", null],
  ["user_id", "9223372036854775808", null, "9223372036854775808"],
  ["user_id", long, null, long],
  ["user_id", "7.5", null, "7.5"],
  ["user_id", '"007"', null, "007"],
  ["user_id", '"seven"', null, "seven"],
  ["user_id", "true", null, "true"],
  ["user_id", "[7]", null, "[7]"],
  ["user_id", '{"id":7}', null, '{"id":7}'],
  ["user_id", '""', null, null],
  ["user_id", "null", null, null],
  ["is_scheduled", "true", true, null],
  ["is_scheduled", '"false"', false, null],
  ["is_scheduled", '"yes"', null, "yes"],
  ["is_scheduled", "1", null, "1"],
  ["task_duration", "1.5", 1.5, null],
  ["task_duration", '"2"', 2, null],
  ["task_duration", '"fast"', null, "fast"],
  ["task_duration", "1e400", null, "1e400"],
  ["task_duration", '"NaN"', null, "NaN"],
  ["scheduled_time", String(time), `${day} 00:00:00`, null],
  ["scheduled_time", `"${day}T10:00:00+01:00"`, `${day} 09:00:00`, null],
  ["scheduled_time", '"later"', null, "later"],
  ["resource_id", "12", "12", null],
  ["resource_id", long, long, null],
  ["resource_id", "true", "true", null],
  ["resource_id", '[1,"2"]', '[1,"2"]', null],
  ["resource_id", '{"b":1,"a":[2]}', '{"b":1,"a":[2]}', null],
  ["resource_id", '""', "", null],
  ["query_text", '"a\\nb\\r\\n\\tc"', "a\nb\r\n\tc", null],
  ["query_text", '"\\u0000\\u001f\\u007f \\\\ \\" \' ; --"', "\0\u001f\u007f \\ \" ' ; --", null],
  ["query_text", '"ä 東京 🎉 \\ud83d\\ude00 \u2028"', "ä 東京 🎉 😀 \u2028", null],
];

describe("record fields", () => {
  let home: TestHome;
  let rows: Row[];
  beforeAll(async () => {
    home = newHome();
    const lines = fits.map(
      ([field, json], i) =>
        `{"time":${time},"event_name":"job_issue","session_id":"${i}","${field}":${json}}`,
    );
    expect((await home.load(lines)).code).toBe(0);
    rows = await home.rows(
      "select user_id, is_scheduled, task_duration, scheduled_time, resource_id, query_text, extra from events order by cast(session_id as integer)",
    );
  });
  afterAll(() => home[Symbol.dispose]());

  it("retain the event whether they fit or not", () => {
    expect(rows).toHaveLength(fits.length);
  });

  it.each(fits.map((fit, i) => [...fit, i] as const))(
    "%s %s becomes %j, in extra %j",
    (field, _json, column, extra, i) => {
      expect(rows[i]![field]).toBe(column);
      const kept = rows[i]!["extra"];
      expect(kept === null ? null : JSON.parse(String(kept))).toEqual(
        extra === null ? null : { [field]: extra },
      );
    },
  );
});

describe("unknown members", () => {
  const strange = {
    apikey_type: "write_only",
    "two words": 1,
    "a.b": [1, { c: null }],
    "quo\"te'": "x",
    "new\nline": 2,
    "": "empty",
    filename: "f",
    fingerprint: "none",
    FileName: "g",
    USER_ID: 5,
    "'; drop table event_rows; --": true,
    ünï: "ö",
    [`k${"k".repeat(300)}`]: 1.5,
    nested: { user_id: 9, time: "no" },
  };

  it.each([
    ["strange names in one record", [strange]],
    [
      "names that differ in letter case",
      [{ Shade: 1 }, { shade: 2 }, { SHADE: 3, Event_Name: "y" }],
    ],
    [
      "names that the load uses itself",
      [{ files: 1, record_bytes: 2, page: 3, others: 4, tried_size: 5 }],
    ],
    ["very many names", [Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`f${i}`, i]))]],
    ["values of many shapes", [{ v: 1 }, { v: "1" }, { v: [1] }, { v: { b: 1, a: 2 } }, { v: "" }]],
  ])("are stored in extra: %s", async (_what, extras) => {
    using home = newHome();
    const records = extras.map((extra, i) => ({ time, event_name: "x", session_id: i, ...extra }));
    expect((await home.load(records)).code).toBe(0);
    const rows = await home.rows(
      "select extra, event_name, user_id from events order by session_id",
    );
    expect(rows.map((row) => JSON.parse(String(row["extra"])) as unknown)).toEqual(extras);
    expect(rows.every((row) => row["event_name"] === "x" && row["user_id"] === null)).toBe(true);
    expect((await home.load(records)).err).toContain(formatCount(records.length, "duplicate"));
  });

  it("share extra with values that do not fit", async () => {
    using home = newHome();
    await home.load([{ time, event_name: "x", user_id: "x", count: [1], shade: { deep: "red" } }]);
    const [row] = await home.rows("select extra from events");
    expect(JSON.parse(String(row!["extra"]))).toEqual({
      user_id: "x",
      count: "[1]",
      shade: { deep: "red" },
    });
  });
});

describe("large records", () => {
  it("of a megabyte are loaded at little cost, with any content", async () => {
    using home = newHome();
    const texts = ["select 1 -- {ä}\n", "{{{{", '\\"', '{"a":{"b":1},"c":', "\u0000"].map((part) =>
      part.repeat(Math.ceil(1_000_000 / part.length)),
    );
    const records = texts.map((query_text) => ({ time, event_name: "job_issue", query_text }));
    const load = async (): Promise<void> => expect((await home.load(records)).code).toBe(0);
    expect(await readCpuMs(load)).toBeLessThan(20_000);
    const rows = await home.rows("select query_text from events");
    expect(rows.map((row) => row["query_text"]).sort()).toEqual(texts.sort());
  });
});

describe("a null written as a word", () => {
  it("is not a person or an address, and is stored in extra to be counted", async () => {
    using own = newHome();
    const event = { time, event_name: "sign_in", resource_name: "NULL" };
    await own.load([{ ...event, user_email: "NULL", ip_address: "null", affected_user: "NULL" }]);
    expect(
      await own.rows(
        "select user_email, ip_address, affected_user, resource_name, extra from events",
      ),
    ).toEqual([
      {
        user_email: null,
        ip_address: null,
        affected_user: null,
        resource_name: "NULL",
        extra: JSON.stringify({ affected_user: "NULL", ip_address: "null", user_email: "NULL" }),
      },
    ]);
    expect(await own.count("select count(*) from sightings where subject = 'null'")).toBe(0);
  });

  it(String.raw`is \N in CSV: the same event as an empty cell`, async () => {
    using own = newHome();
    const header = "time,event_name,user_email,resource_name\n";
    for (const [name, empty] of [
      ["a.csv", String.raw`\N`],
      ["b.csv", ""],
    ])
      await own.run(["import", own.write(name!, `${header}${time},sign_in,${empty},${empty}\n`)]);
    expect(await own.rows("select user_email, resource_name, extra from events")).toEqual([
      { user_email: null, resource_name: null, extra: null },
    ]);
  });
});
