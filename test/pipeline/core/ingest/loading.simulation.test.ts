import { DuckDBConnection } from "@duckdb/node-api";
import { afterEach, describe, expect, it, vi } from "vitest";
import { AuditlakeError } from "../../../../pipeline/base/errors.ts";
import { eventAt, hourMs, newRemote, type Remote } from "../../../support/remote.ts";

// Windows that wait on disk while the first is slow, as they do in a first run, are committed together.

const nowMs = Date.UTC(2026, 2, 20, 12);
const days = 9;
const startMs = Date.UTC(2026, 2, 10);
const events = Array.from({ length: days * 4 }, (_, i) => eventAt(startMs + i * 6 * hourMs + 1000));

afterEach(() => vi.restoreAllMocks());

type Run = DuckDBConnection["run"];

/** Has each statement of the database looked at before it runs. */
function watch(look: (sql: string, values: unknown) => void): void {
  const run = Reflect.get(DuckDBConnection.prototype, "run") as Run;
  vi.spyOn(DuckDBConnection.prototype, "run").mockImplementation(function (
    this: DuckDBConnection,
    sql,
    values,
    types,
  ) {
    look(sql, values);
    return run.call(this, sql, values, types);
  });
}

/** A service that answers for the first window last. */
async function slowFirst(): Promise<Remote> {
  const remote = await newRemote(nowMs);
  await remote.serve(events);
  let others = 0;
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  remote.fault(async (request) => {
    if (!request.url?.startsWith("/v4/audits")) return false;
    if (request.url.includes(`from=${startMs / 1000}&`)) await released;
    else if ((others += 1) >= 8) release();
    return false;
  });
  return remote;
}

const range = ["--from", "2026-03-10", "--to", "2026-03-19"];
const held = `select count(*) as n, count(distinct event_key) as keys from events`;
const windows = "select count(*) as n from ingest_windows where state <> 'gap'";

describe("windows that wait", () => {
  it("are committed in few transactions", async () => {
    await using remote = await slowFirst();
    let commits = 0;
    watch((sql) => (commits += sql === "commit" ? 1 : 0));
    expect(await remote.ingest(range)).toMatchObject({ code: 0 });
    expect(await remote.home.rows(held)).toEqual([{ n: "36", keys: "36" }]);
    expect(commits).toBeLessThan(days);
  });

  it("are loaded one by one if their transaction fails, each once", async () => {
    await using remote = await slowFirst();
    let reads = 0;
    watch((sql) => {
      if (sql.includes("insert into window_reads") && (reads += 1) === 4)
        throw new AuditlakeError("the fourth read is not taken");
    });
    expect(await remote.ingest(range)).toMatchObject({ code: 0 });
    expect(reads).toBeGreaterThan(days + 1);
    expect(await remote.home.rows(held)).toEqual([{ n: "36", keys: "36" }]);
    expect(await remote.home.count(windows)).toBe(days);
  });

  it("do not fail with one that does", async () => {
    await using remote = await slowFirst();
    watch((sql, values) => {
      const start = (values as Record<string, unknown> | undefined)?.["window_start"];
      if (sql.includes("insert into window_reads") && String(start).startsWith("2026-03-14"))
        throw new AuditlakeError("this window is not taken");
    });
    const { code, err } = await remote.ingest(range);
    expect(code).toBe(6);
    expect(err.match(/this window is not taken/g)).toHaveLength(1);
    expect(await remote.home.rows(held)).toEqual([{ n: "32", keys: "32" }]);
  });

  it("include the run and its checkpoint in their transaction, even if the run dies after it", async () => {
    await using remote = await slowFirst();
    watch((sql, values) => {
      const { outcome } = (values ?? {}) as Record<string, unknown>;
      if (sql.includes("insert into ingest_runs") && outcome !== "running")
        throw new AuditlakeError("the end of the run is not written");
    });
    const config = remote.home.write(
      "auditlake.json",
      JSON.stringify({ sources: { main: { lookback: "10d" } } }),
    );
    const { code, err } = await remote.home.run(["--config", config, "ingest"], {
      env: remote.env(),
      now: () => remote.clock.nowMs,
    });
    expect([code, err]).toEqual([1, expect.stringContaining("the end of the run is not written")]);
    const [run] = await remote.home.rows("select windows, inserted from ingest_runs");
    expect(run).toEqual({ windows: "11", inserted: "36" });
    const [checkpoint] = await remote.home.rows("select finalized_until, run_id from checkpoints");
    expect(String(checkpoint?.["finalized_until"])).toMatch(/^2026-03-10 /);
  });
});
