import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { newHome } from "../../../support/home.ts";

/** An activation of a report of these rows to files; `file` is the text of a class's file. */
async function newSetting(settings: object = {}, keys: readonly string[] = []) {
  const home = newHome();
  onTestFinished(() => home[Symbol.dispose]());
  const { code, err } = await home.load([{ time: 1_763_600_000, event_name: "job_kill" }]);
  expect(code, err).toBe(0);
  const rows = {
    report: "rows",
    id_key: "id",
    delta_keys: keys,
    activation_mappings: ["new", "updated", "deleted"].map((delta_status) => ({
      delta_status,
      connector_field: "file_name",
      connector_field_value: delta_status,
    })),
    result_connection_name: "none",
    result_connection_settings: { type: "file", folder: "out", format: "ndjson", ...settings },
  };
  const config = home.write("auditlake.json", JSON.stringify({ activations: { rows } }));
  const run = (select: string) => {
    home.write(
      "queries/rows.sql",
      `-- title: Rows\n-- grain: one row per id\n${select} order by id\n`,
    );
    const env = { AUDITLAKE_QUERIES: `${home.folder}/queries` };
    return home.run(["--config", config, "activate", "rows"], { env });
  };
  const out = join(home.folder, "out");
  const file = (name: string): string => readFileSync(join(out, `${name}.ndjson`), "utf8");
  return { run, file, clear: () => rmSync(out, { recursive: true }) };
}

test.each([
  ["write", ""],
  ["keep", '{"id":1,"name":"a"}\n'],
])("a class without rows: when_empty %s leaves %j", async (when_empty, left) => {
  const { run, file } = await newSetting({ when_empty }, ["name"]);
  await run("select 1 as id, 'a' as name");
  expect(file("new")).toBe('{"id":1,"name":"a"}\n');
  await run("select 1 as id, 'b' as name");
  expect([file("new"), file("updated")]).toEqual([left, '{"id":1,"name":"b"}\n']);
});

// Only the text of an id counts, and of other columns only delta keys.
test("columns that change their type are accepted, and deleted rows are sent with their old values", async () => {
  const { run, file, clear } = await newSetting();
  const type = (rows: string): string =>
    `select id, amount, since from (values ${rows}) as t (id, amount, since)`;
  const first = await run(type("(1, 10.50, date '2026-01-02'), (2, 7.25, date '2026-03-04')"));
  expect(first).toMatchObject({ code: 0 });
  clear();
  const { code, err } = await run(type("('1', true, 5)"));
  expect({ code, err }).toMatchObject({ code: 0 });
  expect(err).toContain(
    "warning: id_key id was of type INTEGER in the last run and is VARCHAR now",
  );
  expect(err).toContain("0 new, 0 updated, 1 deleted, 1 unchanged");
  expect(file("deleted")).toBe('{"id":2,"amount":7.25,"since":"2026-03-04"}\n');
  // Reported once: the present id_key is what the next run compares with.
  expect((await run(type("('1', true, 5)"))).err).not.toContain("warning");
});

// Joined without what parts them, all would say abc.
test("values with equal text after joining are different contents", async () => {
  const { run } = await newSetting({}, ["x", "y"]);
  const pairs = [
    ["ab", "c"],
    ["a", "bc"],
    ['a","b', "c"],
    ["a", 'b","c'],
    ["", "abc"],
    ["abc", ""],
  ];
  for (const [index, [x, y]] of pairs.entries()) {
    const { err } = await run(`select 1 as id, '${x}' as x, '${y}' as y`);
    expect(err).toContain(index === 0 ? "1 new" : "0 new, 1 updated");
  }
});
