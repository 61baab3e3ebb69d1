import { DuckDBInstance } from "@duckdb/node-api";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readAsset } from "../../../../pipeline/base/home/assets.ts";
import { attachFormer } from "../../../../pipeline/core/store/carry.ts";
import { openInMemory } from "../../../../pipeline/core/store/open.ts";
import { temporaryFolder } from "../../../support/load.ts";

const { path: folder, remove } = temporaryFolder();
const path = join(folder, "former.duckdb");
afterAll(remove);

// A database of version 1, with the columns that are read of it.
beforeAll(async () => {
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  const sql = readAsset("queries/upgrade/views.sql");
  for (const [, table, alias] of sql.matchAll(/from former\.(\w+) as (\w)/g)) {
    const columns = [...sql.matchAll(new RegExp(`\\b${alias}\\.(\\w+)`, "g"))].map(([, c]) => c!);
    const names = [...new Set(columns)].filter((name) => name !== "rowid");
    await connection.run(
      `create table ${table} (${names.map((name) => `${name} varchar`).join()})`,
    );
  }
  // One event that three reads showed, and two that one read did, of which one is nearly the first.
  await connection.run(
    `insert into event_rows (read_id, page, first_seen_at, event_time, event_name, id, user_id)
     values ('r1', '0', '2026-03-01', '100', 'sign_in', null, '1'),
            ('r2', '1', '2026-03-02', '100', 'sign_in', null, '1'),
            ('r3', '2', '2026-03-03', '100', 'sign_in', null, '1'),
            ('r3', '2', '2026-03-03', '100', 'sign_in', null, '2'),
            ('r3', '2', '2026-03-03', '200', 'sign_in', null, '1')`,
  );
  await connection.run("insert into window_reads (read_id, state) values ('r1', 'sealed')");
  connection.closeSync();
  instance.closeSync();
});

test.each([
  [[], undefined],
  [["r1"], "r1"],
  [["r3"], "r3"],
  [["r2", "r3"], "r2"],
  [["r3", "r2", "r1"], "r1"],
  [["other"], undefined],
])(
  "if the reads %j are taken from the old database, equal events of several reads have %s",
  async (carried, goal) => {
    await using database = await openInMemory({ memoryLimit: "200MB", threads: 1 });
    const { connection } = database;
    await using _former = await attachFormer(connection, path, carried);
    const reader = await connection.runAndReadAll(
      "select row_id, read_id from moved order by row_id",
    );
    const rows = reader.getRows().map(([row, read]) => [Number(row), read]);
    expect(rows).toEqual(goal === undefined ? [] : [0, 1, 2].map((row) => [row, goal]));
  },
);

test("a read of version 1 has no facts that version 1 did not know", async () => {
  await using database = await openInMemory({ memoryLimit: "200MB", threads: 1 });
  await using _former = await attachFormer(database.connection, path, []);
  const reader = await database.connection.runAndReadAll(
    `select state, evidence, signs, neutral, parts, next_followed, half_asked, is_mark,
       doubtful::integer as doubtful, withheld::integer as withheld, reason, form, smallest_followed, note
     from old.window_reads`,
  );
  expect(reader.getRowObjectsJson()).toEqual([
    {
      state: "accepted",
      evidence: ["earlier_version"],
      signs: [],
      neutral: false,
      parts: 1,
      next_followed: false,
      half_asked: false,
      is_mark: false,
      doubtful: 0,
      withheld: 0,
      reason: null,
      form: null,
      smallest_followed: null,
      note: null,
    },
  ]);
});
