import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { toLoggedEvent, type LoggedEvent } from "../../../../fixtures/record.ts";
import { writeManifest, type Manifest } from "../../../../pipeline/core/landing/manifests.ts";
import { landPage } from "../../../support/land.ts";
import { formatLines } from "../../../support/home.ts";
import { dayMs, eventAt, hourMs, newRemote, type Remote } from "../../../support/remote.ts";

// A run that died between landing and commit: what is landed is loaded by the next run.

const start = Date.UTC(2026, 2, 1);
const text = (ms: number): string => new Date(ms).toISOString().slice(0, 23).replace("T", " ");

let remote: Remote;
let landing: string;
beforeEach(async () => {
  remote = await newRemote(start + 2 * hourMs);
  landing = join(remote.home.home, "landing");
  await remote.serve([]);
});
afterEach(async () => {
  expect(await listUnbalanced()).toEqual([]);
  await remote[Symbol.asyncDispose]();
});

const listUnbalanced = (): Promise<unknown> =>
  remote.home.rows(
    `select r.run_id from ingest_runs as r
     left join (select run_id, sum(fetched) f, sum(inserted) i, count(*) n, sum(bytes) b from ingest_pages group by 1) as p on p.run_id = r.run_id
     left join (select run_id, count(window_start) w from window_reads group by 1) as w on w.run_id = r.run_id
     where (r.fetched, r.inserted, r.pages, r.bytes, r.windows)
       is distinct from (coalesce(p.f, 0), coalesce(p.i, 0), coalesce(p.n, 0), coalesce(p.b, 0), coalesce(w.w, 0))`,
  );
const events = (): Promise<number> => remote.home.count("select count(*) from events");

/** Leaves a landed read of a day behind, as a run that was killed does. */
async function leave(
  dayMsStart: number,
  log: readonly LoggedEvent[],
  more: Partial<Manifest> = {},
) {
  const lines = formatLines(log.map(({ record }) => record));
  const page = await landPage(landing, Buffer.from(lines), "ndjson");
  const manifest: Manifest = {
    version: 1,
    read_id: `killed-${dayMsStart}`,
    run_id: "killed",
    command: "ingest",
    source: "default",
    window_start: text(dayMsStart),
    window_end: text(dayMsStart + dayMs),
    window_ms: dayMs,
    read_at: text(start + hourMs),
    server_time: text(start + hourMs),
    closed: true,
    nightly: true,
    range_start: text(start - 2 * dayMs),
    records_at: null,
    pages: [page],
    ...more,
  };
  await writeManifest(landing, manifest);
  return page;
}

describe("a stored read that was not loaded", () => {
  it("is loaded by the next run, before it reads further", async () => {
    await leave(start - dayMs, [eventAt(start - dayMs), eventAt(start - hourMs)]);
    const { code, err } = await remote.ingest();
    expect([code, err]).toEqual([0, err]);
    expect(err).toContain("loaded 1 read stored by an earlier run");
    expect(await events()).toBe(2);
    expect(
      await remote.home.rows(
        "select outcome, windows, inserted from ingest_runs where run_id = 'killed'",
      ),
    ).toEqual([{ outcome: "interrupted", windows: "1", inserted: "2" }]);
    expect((await remote.ingest()).err).not.toContain("earlier run");
  });

  it("counts as a read: a second one that agrees finalizes its window", async () => {
    const log = [eventAt(start - dayMs)];
    await leave(start - dayMs, log);
    await remote.serve(log);
    await remote.ingest();
    expect(
      await remote.home.rows(
        "select state, reads from ingest_windows where window_start = '2026-02-28'",
      ),
    ).toEqual([{ state: "finalized", reads: "2" }]);
  });

  it("is reported if its records cannot be read, and status shows them until a later run has ended", async () => {
    const cannot = { event_name: "x", id: "no time" } as unknown as LoggedEvent["record"];
    await leave(start - dayMs, [toLoggedEvent(cannot, 0)]);
    const find = async (): Promise<number> =>
      (await remote.home.run(["status", "--fail-on", "quarantine"])).code;
    expect((await remote.ingest(["--quiet"])).err).toContain(
      "warning: 1 record that an earlier run had stored could not be read and went to the quarantine",
    );
    expect(await find()).toBe(3);
    remote.clock.nowMs += hourMs;
    expect((await remote.ingest(["--quiet"])).err).toBe("");
    expect(await find()).toBe(0);
  });

  it("of another source and damaged is re-read by that source, with a message, and not by this run", async () => {
    for (const nightly of [true, false]) {
      const page = await leave(start - dayMs, [eventAt(start - dayMs)], {
        source: "west",
        nightly,
      });
      rmSync(join(landing, "pages", page.sha256.slice(0, 2), `${page.sha256}.zst`));
      const { err } = await remote.ingest();
      expect(err).toContain(
        nightly
          ? "; the next scheduled run of source west, or this one, reads its window again\n"
          : "; run auditlake ingest --source west --from 2026-02-28T00:00:00Z --to 2026-03-01T00:00:00Z to re-read it\n",
      );
    }
  });

  it("makes the next run start where its own started", async () => {
    await leave(start - dayMs, [eventAt(start - dayMs)], { range_start: text(start - 9 * dayMs) });
    expect((await remote.ingest()).err).toContain("reading 2026-02-20T00:00:00Z to 2026-03-01");
    const first = "select min(window_start) as first_start from ingest_windows";
    expect(await remote.home.rows(first)).toEqual([
      { first_start: text(start - 9 * dayMs).slice(0, 19) },
    ]);
  });

  it("is counted in the run that it belongs to", async () => {
    await leave(start - dayMs, [eventAt(start - dayMs)]);
    await remote.ingest();
    await leave(start, [eventAt(start)], { read_id: "killed-too" });
    await remote.ingest();
    expect(
      await remote.home.rows(
        "select windows, pages, inserted from ingest_runs where run_id = 'killed'",
      ),
    ).toEqual([{ windows: "2", pages: "2", inserted: "2" }]);
  });

  it("may belong to a file or a backfill", async () => {
    await leave(start, [eventAt(start)], { read_id: "b", run_id: "b", nightly: false });
    await leave(start, [eventAt(start + 1000)], {
      read_id: "f",
      run_id: "f",
      command: "import",
      nightly: false,
      window_start: null,
      window_end: null,
    });
    await remote.ingest();
    expect(
      await remote.home.rows(
        "select run_id, command, windows from ingest_runs where length(run_id) = 1 order by 1",
      ),
    ).toEqual([
      { run_id: "b", command: "backfill", windows: "1" },
      { run_id: "f", command: "import", windows: "0" },
    ]);
    expect(await events()).toBe(2);
  });
});

describe("a stored read that cannot be loaded", () => {
  it("is named, and blocks no other source", async () => {
    const page = await leave(start - dayMs, [eventAt(start - dayMs)]);
    const path = join(landing, "pages", page.sha256.slice(0, 2), `${page.sha256}.zst`);
    rmSync(path);
    writeFileSync(path, "damaged");
    await leave(start, [eventAt(start)], { read_id: "whole", run_id: "whole" });
    await remote.serve([eventAt(start + 1000)]);
    const { code, err } = await remote.ingest();
    expect(code).toBe(6);
    expect(err.match(/^error: .*$/gm)).toEqual([
      expect.stringMatching(
        /^error: landed read killed-\d+: landed page .* cannot be read: .*restore it/,
      ),
    ]);
    expect(await events()).toBe(2);
  });
});

describe("a run that is killed", () => {
  it("leaves its stored reads, and the next run ends with each event once", async () => {
    const log = Array.from({ length: 12 }, (_, i) => eventAt(start - 2 * dayMs + i * 4 * hourMs));
    await remote.serve(log);
    const controller = new AbortController();
    remote.fault((request) => {
      // The last window is asked for when the first is on disk: the run ends there.
      if (request.url?.includes(`from=${start / 1000}`)) controller.abort();
      return false;
    });
    const killed = await remote.ingest([], { signal: controller.signal });
    expect(killed.code).toBe(130);
    remote.fault(undefined);
    expect((await remote.ingest()).code).toBe(0);
    expect(await events()).toBe(12);
    expect(await remote.home.count("select count(distinct id) from events")).toBe(12);
    expect(
      await remote.home.rows("select distinct outcome from ingest_runs order by 1"),
    ).toContainEqual({ outcome: "done" });
  });

  it("leaves no temporary files after another run", async () => {
    await leave(start - dayMs, [eventAt(start - dayMs)]);
    await remote.ingest();
    const files = readdirSync(remote.home.home, { recursive: true }).map(String);
    expect(files.filter((file) => /tmp|staging|\.wal|lock$/.test(file))).toEqual([]);
    expect(readFileSync(join(remote.home.home, "audit.duckdb")).length).toBeGreaterThan(0);
  });
});
