import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { removeWriterVersion } from "../../../../pipeline/answers/report/parquet-footer.ts";
import { newHome } from "../../../support/home.ts";

// The same facts give the same bytes, whenever and by how many threads a file is written.

const home = newHome();
const dayMs = 86_400_000;
const records = Array.from({ length: 300 }, (_, i) => ({
  time: 1_767_225_600 + i * 3000,
  event_name: "unauthorized",
  event_result: "denied",
  id: `e${i}`,
  user_email: `user-${i % 7}@example.com`,
}));

beforeAll(async () => {
  await home.load(records);
});
afterAll(() => home[Symbol.dispose]());

async function exportFile(name: string, format: string, nowMs: number, threads: number) {
  const out = join(home.folder, `${name}-${threads}.${format}`);
  const config = home.write(`config-${threads}.json`, JSON.stringify({ threads }));
  const range = ["--since", "2026-01-01", "--until", "2026-02-01"];
  const running = ["--config", config, "report", "run", name, ...range, "--out", out];
  const { code, err } = await home.run(running, { now: () => nowMs });
  expect([code, err]).toEqual([0, expect.any(String)]);
  return { out, bytes: readFileSync(out) };
}

// At the second time the last days of the range have not passed.
const times = [Date.UTC(2026, 5, 1, 1, 2, 3), Date.UTC(2026, 0, 8) + dayMs / 3] as const;

test.each(["csv", "tsv", "ndjson", "json", "md", "parquet", "html", "svg"])(
  "%s has the same bytes each time",
  async (format) => {
    const one = await exportFile("denials_by_day", format, times[0], 1);
    const other = await exportFile("denials_by_day", format, times[1], 2);
    expect(one.bytes.length).toBeGreaterThan(100);
    expect(other.bytes.equals(one.bytes)).toBe(true);
  },
);

test("a Parquet file is complete and does not name the version of the database", async () => {
  const { out, bytes } = await exportFile("denials_list", "parquet", times[0], 1);
  const [meta] = await home.rows(
    `select created_by, num_rows from parquet_file_metadata('${out}')`,
  );
  expect(meta).toEqual({ created_by: "DuckDB version 1 (build 0)", num_rows: "300" });
  const [row] = await home.rows(`select count(distinct event_key) as keys from '${out}'`);
  expect(row).toEqual({ keys: "300" });
  await removeWriterVersion(out);
  expect(readFileSync(out).equals(bytes)).toBe(true);
});

test("a text of the data that looks like the name of the writer is unchanged", async () => {
  const text = "DuckDB version v1 (build 1)";
  const sql = home.write("own/texts.sql", `-- title: T\n-- grain: one\nselect '${text}' as t`);
  const out = join(home.folder, "texts.parquet");
  const queries = join(sql, "..");
  const { code } = await home.run(["report", "run", "texts", "--queries", queries, "--out", out]);
  expect(code).toBe(0);
  expect(await home.rows(`select t from '${out}'`)).toEqual([{ t: text }]);
});
