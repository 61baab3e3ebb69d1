import { readdirSync, readFileSync, rmSync } from "node:fs";
import { PassThrough } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import { guardFault } from "../../../../pipeline/outgoing/activations/guard.ts";
import { newHome } from "../../../support/home.ts";

type Change = {
  readonly guard?: object;
  readonly flags?: readonly string[];
  readonly stdin?: PassThrough & { isTTY?: boolean };
};

/** A home with an activation of a report that gives the ids from the first to the last, each with its content. */
function newSetting() {
  const home = newHome();
  const run = async (first: number, last: number, content: string, change: Change = {}) => {
    const sql = `select id, '${content}' as content from range(${first}, ${last + 1}) as ids (id) order by id`;
    home.write("queries/ids.sql", `-- title: Ids\n-- grain: one row per id\n${sql}\n`);
    const { guard, flags = [], stdin } = change;
    const ids = {
      report: "ids",
      id_key: "id",
      delta_keys: ["content"],
      activation_mappings: ["new", "updated", "deleted"].map((delta_status) => ({
        delta_status,
        connector_field: "file_name",
        connector_field_value: delta_status,
      })),
      result_connection_name: "none",
      result_connection_settings: { type: "file", folder: "out", format: "ndjson" },
      ...(guard === undefined ? {} : { guard }),
    };
    const config = home.write("auditlake.json", JSON.stringify({ activations: { ids } }));
    const argv = [
      "--config",
      config,
      "activate",
      ...flags,
      ...(flags.includes("ids") ? [] : ["ids"]),
    ];
    const env = { AUDITLAKE_QUERIES: `${home.folder}/queries` };
    return home.run(argv, { env, ...(stdin === undefined ? {} : { stdin }) });
  };
  return { home, run };
}

async function withData() {
  const setting = newSetting();
  const { code, err } = await setting.home.load([{ time: 1_763_600_000, event_name: "job_kill" }]);
  expect(code, err).toBe(0);
  return setting;
}

test("more deleted and updated rows than the guard allows stop the run with exit code 3", async () => {
  const { home, run } = await withData();
  using _home = home;
  expect((await run(1, 50, "x")).code).toBe(0);
  const stopped = await run(12, 50, "x");
  expect(stopped.code).toBe(3);
  expect(stopped.err).toMatch(
    /error: activation ids was stopped: 11 deleted and 0 updated of 50 rows .* more than the guard allows \(20 % for 10 rows or more\); nothing was delivered; .*--yes/,
  );
  expect((await run(12, 50, "x", { flags: ["--dry-run"] })).err).toContain(
    "ids would stop: 11 del",
  );
  // Ten of fifty are a share of 20 %, and no more.
  expect((await run(11, 50, "x")).code).toBe(0);
  expect((await run(11, 50, "y")).code).toBe(3);
  expect((await run(11, 50, "y", { flags: ["--yes"] })).err).toContain("40 updated");
  expect((await run(11, 50, "z", { guard: { share: 1 } })).err).toContain("40 updated");
});

test("on a terminal the guard asks, and yes continues", async () => {
  const { home, run } = await withData();
  using _home = home;
  expect((await run(1, 20, "x")).code).toBe(0);
  const answer = (text: string) => Object.assign(new PassThrough().end(text), { isTTY: true });
  expect((await run(1, 20, "y", { stdin: answer("n\n") })).code).toBe(3);
  const agreed = await run(1, 20, "y", { stdin: answer("y\n") });
  expect(agreed).toMatchObject({ code: 0, err: expect.stringContaining("continue? [y/N]") });
});

test("a source without rows never deletes everything, not even with --yes", async () => {
  const { home, run } = await withData();
  using _home = home;
  expect((await run(1, 3, "x")).code).toBe(0);
  for (const flags of [[], ["--yes"]]) {
    const stopped = await run(1, 0, "x", { flags, guard: { share: 1, rows: 100 } });
    expect(stopped).toMatchObject({ code: 3, err: expect.stringContaining("has no rows") });
  }
  expect((await run(1, 0, "x", { flags: ["--allow-empty"] })).err).toContain("3 deleted");
  expect((await run(1, 0, "x")).code).toBe(0);
});

test("list and show print its state; resync delivers nothing, reset starts over", async () => {
  const { home, run } = await withData();
  using _home = home;
  const csv = ["--format", "csv"];
  await run(1, 2, "x");
  const shown = await run(1, 2, "x", { flags: ["show", "ids", ...csv] });
  expect(shown.out.split("\r\n").map((line) => line.split(",").slice(0, 2))).toEqual([
    ["row_key", "state"],
    ["1", "delivered"],
    ["2", "delivered"],
    [""],
  ]);
  expect((await run(1, 9, "y", { flags: ["resync", "ids"] })).code).toBe(2);
  const resynced = await run(1, 9, "y", { flags: ["resync", "ids", "--yes"] });
  expect(resynced).toMatchObject({ code: 0, err: expect.stringContaining("ids: 9 rows stored") });
  expect((await run(1, 9, "y")).err).toContain("0 new, 0 updated, 0 deleted, 9 unchanged");
  expect((await run(1, 9, "y", { flags: ["reset", "ids", "--yes"] })).code).toBe(0);
  expect((await run(1, 9, "y")).err).toContain("9 new, 0 updated, 0 deleted, 0 unchanged");
  const listed = await home.run([
    "--config",
    `${home.folder}/auditlake.json`,
    "activate",
    "list",
    ...csv,
  ]);
  expect(listed.out).toMatch(/^activation,source,remembered,under_way,/);
  expect(listed.out).toMatch(/\r\nids,ids,"?9"?,/);
});

test("resync deletes an interrupted delivery, and nothing resumes it", async () => {
  const { home, run } = await withData();
  using _home = home;
  home.write("out", "a file in the place of the folder");
  expect((await run(1, 9, "x")).code).not.toBe(0);
  rmSync(`${home.folder}/out`);
  const resynced = await run(1, 9, "x", { flags: ["resync", "ids", "--yes"] });
  expect(resynced).toMatchObject({ code: 0, err: expect.stringContaining("ids: 9 rows stored") });
  const next = await run(1, 10, "x");
  expect(next).toMatchObject({ code: 0, err: expect.stringContaining("1 new, 0 updated, 0 del") });
  const files = readdirSync(`${home.folder}/out`).map((name) => `${home.folder}/out/${name}`);
  const rows = files.flatMap((file) => readFileSync(file, "utf8").split("\n").filter(Boolean));
  expect(rows.map((row) => (JSON.parse(row) as { id: number }).id)).toEqual([10]);
});

test("property: the guard stops exactly what exceeds both the share and the number", () => {
  const count = fc.integer({ min: 0, max: 300 });
  fc.assert(
    fc.property(
      fc.record({ new: count, updated: count, deleted: count, unchanged: count }),
      fc.integer({ min: 0, max: 100 }),
      fc.nat(40),
      (counts, percent, rows) => {
        const { updated, deleted, unchanged } = counts;
        const before = updated + deleted + unchanged;
        const now = counts.new + updated + unchanged;
        const guard = { share: percent / 100, rows };
        const fault = guardFault({ rows: now, counts, out: counts, setAside: 0 }, { guard });
        const touched = updated + deleted;
        // In whole numbers, as a person would reckon it.
        const isTooMuch = touched >= rows && touched * 100 > percent * before;
        const expected =
          before === 0 ? undefined : now === 0 ? "empty" : isTooMuch ? "share" : undefined;
        expect(fault?.kind).toBe(expected);
      },
    ),
  );
});
