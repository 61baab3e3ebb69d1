import { describe, expect, it } from "vitest";
import { formatLines, homeWithWarehouse } from "../../../../support/home.ts";
import { balancedBooks, base, event, news } from "./books.ts";

// What makes two records one event, and whether the counts add up for any input.

const books = balancedBooks();
const { loads } = books;
const keys = async (): Promise<unknown[]> =>
  (await books.home.rows("select event_key from events order by 1")).map((row) => row["event_key"]);

describe("records with an id", () => {
  it("are one event for any number of copies", async () => {
    expect(await loads(event("a"), event("b"))).toBe("2 records, 2 new, 0 duplicates");
    expect(await loads(event("b"), event("a"))).toBe("2 records, 0 new, 2 duplicates");
    expect(await loads(event("a"), event("a"), event("c"))).toBe("3 records, 1 new, 2 duplicates");
  });

  it("are one event if a read contains them twice", async () => {
    expect(await loads(event("a"), event("a"))).toBe("2 records, 1 new, 1 duplicate");
    expect(await books.home.rows("select * from id_conflicts")).toEqual([]);
  });

  it("are stored with every content, and the conflict is reported", async () => {
    expect(await loads(event("a", { resource_id: "1" }), event("a", { resource_id: "2" }))).toBe(
      "2 records, 2 new, 0 duplicates",
    );
    expect(await loads(event("a", { resource_id: "3" }), event("b"))).toBe(
      "2 records, 2 new, 0 duplicates",
    );
    expect(await books.home.rows("select id, versions from id_conflicts")).toEqual([
      { id: "a", versions: "3" },
    ]);
  });

  it("differ by unknown members too", async () => {
    expect(await loads(event("a", { shade: "red" }), event("a", { shade: "blue" }))).toBe(
      "2 records, 2 new, 0 duplicates",
    );
  });
});

it("have the same refusals if a page has to be staged a second time", async () => {
  // Keys that differ in letter case alone cannot be columns: then each record is walked, and flaws show earlier.
  const lines = [event("a"), { ...event("b"), Event_Name: "x" }].map((one) => JSON.stringify(one));
  const path = books.home.write(
    "damaged.ndjson",
    [...lines, '{"time":1767225600,"id":"c"],"a":1}', ""].join("\n"),
  );
  const { code, err } = await books.home.run(["import", path]);
  expect([code, err]).toEqual([
    6,
    expect.stringContaining("3 records, 2 new, 0 duplicates, 1 quarantined"),
  ]);
});

describe("equal records without an id", () => {
  it("are as many events as one read contains, and never fewer", async () => {
    const same = event(null);
    expect(await loads(same, same)).toBe("2 records, 2 new, 0 duplicates");
    expect(await loads(same, same)).toBe("2 records, 0 new, 2 duplicates");
    expect(await loads(same, same, same)).toBe("3 records, 1 new, 2 duplicates");
    expect(await loads(same)).toBe("1 record, 0 new, 1 duplicate");
    expect(await keys()).toHaveLength(3);
  });

  it("include records with an empty or null id", async () => {
    const same = [event(null), event(null, { id: null }), event(null, { id: "" })];
    expect(await loads(...same)).toBe("3 records, 3 new, 0 duplicates");
    expect(await books.home.rows("select distinct id from events")).toEqual([{ id: null }]);
  });

  it("have the same keys in any position", async () => {
    const records = [event(null), event("a"), event(null), event(null, { resource_id: "2" })];
    await loads(...records);
    const before = await keys();
    expect(await loads(...records.toReversed())).toBe("4 records, 0 new, 4 duplicates");
    expect(await keys()).toEqual(before);
  });
});

it("have the same keys in any form, order and division", async () => {
  const records = Array.from({ length: 40 }, (_, i) => ({
    time: base + (i % 5),
    event_name: i % 2 ? "job_kill" : "column_query",
    user_id: 7 * (i % 3),
    new_value: i % 4 ? null : JSON.stringify({ b: i % 8, a: [1, 2] }),
    shade: i % 7 ? "red" : "",
  }));
  const shuffled = records.toReversed().map((r) =>
    Object.fromEntries(
      Object.entries(r)
        .reverse()
        .filter(([, v]) => v !== null),
    ),
  );
  const texts = records.map((r) => ({ ...r, time: String(r.time), user_id: String(r.user_id) }));
  await loads(...records);
  const expected = await keys();
  expect(expected).toHaveLength(40);
  const columns = ["shade", "time", "event_name", "user_id", "new_value"] as const;
  const cell = (value: unknown): string => `"${String(value ?? "").replaceAll('"', '""')}"`;
  const forms = {
    "records.json": JSON.stringify(shuffled, null, 2),
    "envelope.json": JSON.stringify({ audits: texts, next_page: null }),
    "records.ndjson": formatLines(texts).replaceAll("\n", "\r\n\r\n"),
    "records.csv": [
      columns.join(","),
      ...records.map((r) => columns.map((c) => cell(r[c])).join(",")),
    ].join("\r\n"),
  };
  for (const [name, content] of Object.entries(forms)) {
    using other = await homeWithWarehouse();
    const { code, err } = await other.run(["import", other.write(name, content)]);
    expect([name, code, news(err)]).toEqual([name, 0, "40 records, 40 new, 0 duplicates"]);
    const found = await other.rows("select event_key from events order by 1");
    expect(found.map((row) => row["event_key"])).toEqual(expected);
  }
});

it("are separate per source", async () => {
  const file = books.home.write("one.ndjson", formatLines([event("a")]));
  const config = books.home.write("two.json", JSON.stringify({ sources: { east: {}, west: {} } }));
  for (const source of ["east", "west"])
    expect(
      (await books.home.run(["--config", config, "--source", source, "import", file])).code,
    ).toBe(0);
  expect(await books.home.rows("select source from events order by 1")).toEqual([
    { source: "east" },
    { source: "west" },
  ]);
  expect(await books.home.rows("select * from id_conflicts")).toEqual([]);
});

it("are counted page by page, the quarantined with their page", async () => {
  const [good, bad] = [event(null), "[1]"];
  const file = books.home.write(
    "mixed.ndjson",
    formatLines([good, bad, good, { event_name: "x" }, bad]),
  );
  expect((await books.home.run(["import", file, file])).code).toBe(6);
  expect(
    await books.home.rows(
      "select page, fetched::int f, inserted::int i, duplicate::int d, quarantined::int q from ingest_pages order by read_id",
    ),
  ).toEqual(
    expect.arrayContaining([
      { page: "0", f: 5, i: 2, d: 0, q: 3 },
      { page: "1", f: 5, i: 0, d: 5, q: 0 },
    ]),
  );
  expect(
    await books.home.rows(
      "select reason, record_text from quarantine order by reason, quarantine_key",
    ),
  ).toEqual([
    { reason: "no_time", record_text: '{"event_name":"x"}' },
    { reason: "not_an_object", record_text: "[1]" },
    { reason: "not_an_object", record_text: "[1]" },
  ]);
});
