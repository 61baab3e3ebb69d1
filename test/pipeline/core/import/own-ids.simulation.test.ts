import { expect, it } from "vitest";
import { homeWithWarehouse, formatLines, type TestHome } from "../../../support/home.ts";

const time = 1_767_225_600;
const event = { time, event_name: "job_kill", user_id: 7 };
const names = ["a", "b", "c"];

const readConfig = (home: TestHome, id_at: string): string =>
  home.write("with-id.json", JSON.stringify({ sources: { default: { audits: { id_at } } } }));

it.each([
  ["event_id", (id: string): object => ({ ...event, event_id: id })],
  ["meta.event_id", (id: string): object => ({ ...event, meta: { event_id: id } })],
  ["event.id", (id: string): object => ({ ...event, "event.id": id })],
  ["_id", (id: string): object => ({ ...event, id: 1, _id: id })],
])(
  "records are identified by %s, in one call, in several, and when sent again",
  async (path, record) => {
    using home = await homeWithWarehouse();
    let files = 0;
    const load = async (records: readonly object[]): Promise<void> => {
      const file = home.write(`${(files += 1)}.ndjson`, formatLines(records));
      expect((await home.run(["import", "--id-at", path, file])).code).toBe(0);
    };
    await load(names.slice(0, 2).map(record));
    await load(names.slice(1).map(record));
    await load(names.map(record));
    const ids = "select id from events order by id";
    expect(await home.rows(ids)).toEqual(names.map((id) => ({ id })));
    // Where the flag is left out, what the stored events have applies.
    await home.load(names.map(record));
    expect((await home.run(["rebuild"])).code).toBe(0);
    expect(await home.rows(ids)).toEqual(names.map((id) => ({ id })));
  },
);

it("events of one key in files of two calls cause a warning, and a rebuild with audits.id_at stores both", async () => {
  using home = await homeWithWarehouse();
  await home.load([{ ...event, event_id: "a" }]);
  const { err } = await home.load([
    { ...event, event_id: "b" },
    { ...event, event_id: "a" },
  ]);
  expect(err).not.toContain("warning");
  expect(await home.count("select count(*) from events")).toBe(2);
  const again = await home.load([{ ...event, event_id: "c" }]);
  expect(again.err).toMatch(/warning: 1 record without an id .*sources\.default\.audits\.id_at/);
  expect(await home.count("select unlike from window_reads where unlike > 0")).toBe(1);
  const config = readConfig(home, "event_id");
  const refused = await home.run([
    "--config",
    config,
    "import",
    home.write("d.ndjson", formatLines([event])),
  ]);
  expect([refused.code, refused.err]).toEqual([2, expect.stringMatching(/auditlake .*rebuild/)]);
  expect((await home.run(["--config", config, "rebuild"])).code).toBe(0);
  expect(await home.count("select count(*) from events")).toBe(3);
  const same = await home.run([
    "--config",
    config,
    "import",
    home.write("e.ndjson", formatLines([{ ...event, event_id: "c" }])),
  ]);
  expect(same.err).toContain("0 new, 1 duplicate");
});

it("a record without a value at the path keeps its own id, and a replaced id stays in extra", async () => {
  using home = await homeWithWarehouse();
  const records = [
    { ...event, id: "own" },
    { ...event, id: "own", event_id: { a: 1 } },
    { ...event, id: 17, event_id: "\u001fé[" },
  ];
  const file = home.write("r.ndjson", formatLines(records));
  expect((await home.run(["import", "--id-at", "event_id", file])).code).toBe(0);
  const rows = await home.rows(
    "select id, extra->>'id' as replaced from events order by id, extra",
  );
  expect(rows).toEqual([
    { id: "\u001fé[", replaced: "17" },
    { id: "own", replaced: null },
    { id: "own", replaced: null },
  ]);
});

it("import proposes the path of ids for records without one, once, and nothing if it is set", async () => {
  using home = await homeWithWarehouse();
  const records = Array.from({ length: 30 }, (_, i) => ({ ...event, meta: { event_id: `e${i}` } }));
  const { err } = await home.load(records);
  expect(err).toContain("have no id, and meta.event_id is different");
  const file = home.write("again.ndjson", formatLines(records));
  const again = ["import", "--id-at", "meta.event_id", file];
  expect((await home.run(again)).code).toBe(2);
  const [, read = ""] = /--undo (\S+)/.exec(err) ?? [];
  expect((await home.run(["import", "--undo", read])).code).toBe(0);
  expect((await home.run(again)).code).toBe(0);
  expect(await home.count("select count(distinct id) from events")).toBe(30);
  const { err: silent } = await home.run([
    "import",
    "--source",
    "b",
    "--id-at",
    "meta.event_id",
    file,
  ]);
  expect(silent).not.toContain("have no id");
});
