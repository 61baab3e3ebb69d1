import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newRandom } from "../../fixtures/random.ts";
import { readAsset } from "../../pipeline/base/home/assets.ts";
import { migrate } from "../../pipeline/core/store/migrate.ts";
import { comparable } from "./oracle/comparable.ts";
import { dayMs, hourMs, sort, stamp } from "./oracle/rows.ts";
import { reports, runReport } from "./run.ts";

// The reports on what went out, over runs that a generator writes, against a computation of its own.

const start = Date.UTC(2026, 4, 4);
const params = { since: start + 2 * dayMs + 5 * hourMs, until: start + 9 * dayMs };
const given = new Map(
  Object.entries(params).map(([name, ms]) => [name, new Date(ms).toISOString()] as const),
);

const instance = await DuckDBInstance.create(":memory:");
const connection = await instance.connect();
beforeAll(() =>
  migrate(connection, async () => ({
    sql: readAsset("schemas/generated/catalog.sql"),
    extra: null,
  })),
);
afterAll(() => {
  connection.closeSync();
  instance.closeSync();
});

const literal = (value: string | number | null): string =>
  value === null ? "null" : typeof value === "number" ? String(value) : `'${value}'`;

async function insert(
  table: string,
  rows: readonly Readonly<Record<string, string | number | null>>[],
): Promise<void> {
  const names = Object.keys(rows[0]!);
  const values = rows.map((row) => `(${names.map((name) => literal(row[name]!)).join(", ")})`);
  await connection.run(`delete from ${table}`);
  await connection.run(`insert into ${table} (${names.join(", ")}) values ${values.join(", ")}`);
}

async function readRows(name: string): Promise<readonly object[]> {
  const report = reports.find((each) => each.name === name)!;
  return comparable((await runReport(connection, report, given)).rows);
}

test.each([1, 2])(
  "delivery reports show what was sent, and what did not arrive, seed %i",
  async (seed) => {
    const random = newRandom(seed, "deliveries");
    const at = (): string => stamp(params.since + random.int(-40, 200) * hourMs);
    const isInside = (moment: string): boolean =>
      moment >= stamp(params.since) && moment < stamp(params.until);
    const runs = Array.from({ length: 60 }, (_, i) => ({
      run_id: `r${i}`,
      verb: random.pick(["export", "activate"]),
      name: random.pick(["denials", "people"]),
      target: random.pick(["lake", "hook"]),
      connector: "file",
      delivery: random.pick(["d1", null]),
      due_at: random.chance(0.5) ? at() : null,
      started_at: at(),
      finished_at: at(),
      outcome: random.pick(["delivered", "partial", "failed"]),
      exit_code: random.pick([0, 1, 6]),
      rows_read: random.int(0, 9),
      accepted: random.int(0, 9),
      refused: random.int(0, 9),
      doubtful: random.int(0, 9),
      error: random.pick([null, "gone"]),
    }));
    await insert("delivery_runs", runs);
    const ran = runs.filter((run) => isInside(run.started_at));
    expect(ran.length).toBeGreaterThan(0);
    expect(await readRows("delivery_history")).toEqual(
      comparable(sort(ran, "started_at verb name target run_id")),
    );
    const missed = Array.from({ length: 60 }, (_, i) => ({
      activation: random.pick(["denials", "people"]),
      delivery: "d1",
      delta_status: random.pick(["new", "updated"]),
      row_key: `k${i % 40}`,
      content_hash: `h${i}`,
      state: random.pick(["refused", "uncertain", "given_up"]),
      reason: "the receiver answered 422",
      first_tried_at: at(),
      last_tried_at: at(),
      tries: random.int(1, 4),
    }));
    await insert("refused_rows", missed);
    const left = missed.filter((row) => isInside(row.last_tried_at));
    expect(left.length).toBeGreaterThan(0);
    expect(await readRows("undelivered_rows")).toEqual(
      comparable(sort(left, "activation row_key delta_status content_hash")),
    );
  },
);
