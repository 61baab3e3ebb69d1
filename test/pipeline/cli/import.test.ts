import { existsSync, rmSync } from "node:fs";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { configuredIn, extra, mine, shown, time } from "./own-events.ts";
import { formatLines, homeWithWarehouse, type TestHome } from "../../support/home.ts";

const records = ["job_kill", "job_issue", "column_query"].map((event_name, i) => ({
  time: time + i,
  event_name,
  user_id: 7,
  id: `id-${i}`,
}));

let home: TestHome;
beforeEach(async () => {
  home = await homeWithWarehouse();
});
afterEach(() => home[Symbol.dispose]());
const events = (): Promise<number> => home.count("select count(*) from events");

describe("files", () => {
  it.each([
    ["records.json", JSON.stringify(records)],
    ["envelope.json", JSON.stringify({ audits: records, next_page: null })],
    ["records.ndjson", formatLines(records)],
    [
      "records.csv",
      `time,event_name,user_id,id\n${records.map((r) => `${r.time},${r.event_name},7,${r.id}`).join("\n")}`,
    ],
  ])("of the form of %s are recognized by content, plain, gzip or zstd", async (name, content) => {
    const files = [
      home.write(name, content),
      home.write(`${name}.gz`, gzipSync(content)),
      home.write(`${name}.zst`, zstdCompressSync(Buffer.from(content))),
      home.write("no-suffix", gzipSync(content)),
    ];
    const { code, out, err } = await home.run(["import", ...files]);
    expect([code, out]).toEqual([0, ""]);
    expect(err.match(/3 records, 3 new, 0 duplicates$/gm)).toHaveLength(1);
    expect(err.match(/3 records, 0 new, 3 duplicates$/gm)).toHaveLength(3);
    expect(await events()).toBe(3);
  });

  it("report progress and result to a program, and nothing under --quiet", async () => {
    const many = Array.from({ length: 600 }, (_, i) => ({ ...records[0], id: `id-${i}` }));
    const file = home.write("records.json", JSON.stringify(many));
    let nowMs = time * 1000;
    const now = (): number => (nowMs += 6000);
    const argv = ["import", file, "--progress", "json"];
    const { err } = await home.run(argv, { now });
    expect(JSON.parse(err.split("\n")[0]!)).toEqual({
      done: 0,
      total: 1,
      unit: "MB",
      note: "records.json",
    });
    const [, seconds, rate] = / in (\d+)\.0 s \((\d+) per second\)$/m.exec(err) ?? [];
    expect([Number(seconds) % 6, Number(rate)]).toEqual([0, Math.round(600 / Number(seconds))]);
    expect(await home.run([...argv, "--quiet"], { now })).toEqual({ code: 0, out: "", err: "" });
  });

  it("with an empty array are fine", async () => {
    expect((await home.run(["import", home.write("empty.json", "[]")])).code).toBe(0);
  });

  it("that fail do not affect the others: exit code 6, and 1 when all do", async () => {
    const [good, cut] = [
      home.write("good.ndjson", formatLines(records)),
      home.write("cut.json", '[{"time":1767225600,"event_name":"job_ki'),
    ];
    const { code, err } = await home.run(["import", cut, good]);
    expect(code).toBe(6);
    expect(err.match(/^error: .*$/gm)).toEqual([expect.stringMatching(/cut\.json: .*truncated/)]);
    expect(await events()).toBe(3);
    expect((await home.run(["import", cut])).code).toBe(1);
  });

  it("that are truncated load nothing", async () => {
    const whole = gzipSync(formatLines([...records, ...Array(5000).fill(records[0])]));
    const { code } = await home.run(["import", home.write("cut.gz", whole.subarray(0, -20))]);
    expect(code).toBe(1);
    expect(await events()).toBe(0);
    expect(await home.count("select count(*) from window_reads")).toBe(0);
  });

  it("packed in members with zero bytes between them load nothing", async () => {
    const [one, other] = [records.slice(0, 1), records.slice(1)].map((r) =>
      gzipSync(formatLines(r)),
    );
    const parted = home.write("parted.gz", Buffer.concat([one!, Buffer.alloc(512), other!]));
    const { code, err } = await home.run(["import", parted]);
    expect(code).toBe(1);
    expect(err.match(/^error: .*$/gm)).toEqual([
      expect.stringMatching(/parted\.gz: the file continues after zero bytes/),
    ]);
    expect(await events()).toBe(0);
  });

  it("that are missing are named before anything is done", async () => {
    rmSync(home.home, { recursive: true });
    const good = home.write("good.ndjson", formatLines(records));
    const { code, err } = await home.run(["import", good, "/nowhere/x.json"]);
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/^error: no such file: \/nowhere\/x\.json; /),
    ]);
    const { err: folder } = await home.run(["import", good, home.folder]);
    expect(folder).toBe(
      `error: ${home.folder} is a folder; expected files of records to import, such as ${home.folder}/*.json\n`,
    );
    expect(existsSync(home.home)).toBe(false);
  });
});

describe("the user directory", () => {
  it("comes from a file in either form, and retains deleted users", async () => {
    const file = home.write("records.ndjson", formatLines(records));
    const both = JSON.stringify({
      users: [
        { id: 7, email: "jo@example.com" },
        { id: "8", email: null },
      ],
    });
    await home.run(["import", file, "--users", home.write("users.json", both)]);
    expect(await home.rows("select distinct actor_email from events")).toEqual([
      { actor_email: "jo@example.com" },
    ]);
    const next = home.write("next.json", JSON.stringify([{ id: 9, email: "al@example.com" }]));
    await home.run(["import", file, "--users", next]);
    expect(await home.rows("select user_id, email from users")).toEqual([
      { user_id: "9", email: "al@example.com" },
    ]);
    expect(await home.rows("select distinct actor_email from events")).toEqual([
      { actor_email: "jo@example.com" },
    ]);
  });

  it("is not emptied by a file that is empty, faulty or one page of several, with one line of warning", async () => {
    const file = home.write("records.ndjson", formatLines(records));
    const list = (content: object): string => home.write("users.json", JSON.stringify(content));
    const users = [{ id: 7, email: "jo@example.com" }];
    expect((await home.run(["import", file, "--users", list(users)])).code).toBe(0);
    const bad = [[], { users: [], error: "x" }, { users: [{ id: 8 }], next_page: 2 }];
    for (const content of bad) {
      const { code, err } = await home.run(["import", file, "--users", list(content)]);
      const lines = err.split("\n").filter((line) => line.startsWith("warning: "));
      expect([code, lines]).toEqual([
        6,
        [expect.stringMatching(/^warning: the user list of source default, .* was rejected\b/)],
      ]);
      expect(await home.rows("select user_id from users")).toEqual([{ user_id: "7" }]);
    }
  });

  it("that is invalid is refused", async () => {
    const file = home.write("records.ndjson", formatLines(records));
    const { code, err } = await home.run([
      "import",
      file,
      "--users",
      home.write("u.json", '{"a":1}'),
    ]);
    expect(code).toBe(2);
    expect(err).toMatch(/^error: .*u\.json is not a user list; expected /);
  });
});

describe("user events", () => {
  it("are used by import and shown by the catalog", async () => {
    const config = configuredIn(home, extra);
    const file = home.write("records.ndjson", formatLines(mine));
    expect((await home.run(["--config", config, "import", file])).code).toBe(0);
    const table = { area: "Table", variant: null };
    expect(await home.rows(shown)).toEqual([
      {
        ...table,
        event_name: "table_create",
        canonical_name: "table_create",
        variant: "internal",
        operation: "POST /internal/tables",
        catalog_match: "documented_operation",
      },
      {
        ...table,
        event_name: "table_fix",
        canonical_name: "table_pin",
        operation: "POST /v4/tables/:id/pin",
        catalog_match: "alias",
      },
      {
        ...table,
        event_name: "table_pin",
        canonical_name: "table_pin",
        operation: null,
        catalog_match: "undocumented_operation",
      },
    ]);
    const { out } = await home.run(["--config", config, "catalog", "show", "table_fix"]);
    expect(out).toContain("table_pin");
    expect(out).toContain("/v4/tables/:id/pin");
  });

  it.each([
    [
      "a known event",
      { ...extra, events: [{ event: "table_delete" }] },
      /table_delete of Table is defined twice/,
    ],
    ["a misspelt key", { ...extra, evnts: [] }, /evnts/],
    [
      "an unknown column",
      { ...extra, events: [{ event: "x", columns: ["colour"] }] },
      /x: colour is neither/,
    ],
    [
      "no JSON",
      "{",
      /mine\.json: not valid JSON; expected|mine\.json: not valid JSON \(line 1 column 2\); expected/,
    ],
  ])("are skipped, with file and key, if they are wrong: %s", async (_what, content, message) => {
    const file = home.write("records.ndjson", formatLines(mine));
    const config = configuredIn(home, content);
    if (typeof content === "string") home.write("mine.json", content);
    const { code, err } = await home.run(["--config", config, "import", file]);
    expect(code).toBe(6);
    expect(err).toMatch(/^warning: catalog\.extra: .*mine\.json: /m);
    expect(err).toMatch(message);
    expect((await home.rows(shown)).map((row) => row["catalog_match"])).toEqual([
      "undocumented_operation",
      "unknown_event",
      "unknown_event",
    ]);
  });

  it("need no order", async () => {
    const events = extra.events.toReversed();
    const config = configuredIn(home, { ...extra, events });
    expect(events).not.toEqual(extra.events);
    const file = home.write("records.ndjson", formatLines(mine));
    expect((await home.run(["--config", config, "import", file])).code).toBe(0);
    expect(await home.count("select count(*) from events where canonical_name = 'table_pin'")).toBe(
      2,
    );
  });
});
