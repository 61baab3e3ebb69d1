import { createHash } from "node:crypto";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { LoggedEvent } from "../../../fixtures/record.ts";
import { makeTraffic } from "../../../fixtures/traffic.ts";
import { resolveHome } from "../../../pipeline/base/home/layout.ts";
import { readManifests } from "../../../pipeline/core/landing/manifests.ts";
import { newRun } from "../../../pipeline/core/store/ledger/record.ts";
import { loadManifest } from "../../../pipeline/core/load/read.ts";
import { withWriter } from "../../../pipeline/core/session/write.ts";
import { configSchema } from "../../../schemas/config.ts";
import { dayMs, eventAt, hourMs, newRemote, type Remote } from "../../support/remote.ts";
import { testWorld } from "../../support/world.ts";
import { fewOrAll } from "../length.ts";

// The same window repeatedly, in any order, and loads without a result.

const start = Date.UTC(2026, 2, 1);
const range = ["--from", "2026-02-28", "--to", "2026-03-01"];

let remote: Remote;
beforeEach(async () => {
  remote = await newRemote(start + 2 * hourMs);
});
afterEach(() => remote[Symbol.asyncDispose]());

const digest = async (of = remote): Promise<unknown> =>
  (
    await of.home.rows(
      "select count(*) as n, md5(string_agg(event_key, ',' order by event_key)) as digest from events",
    )
  )[0];

const reads = fewOrAll(4, 13);

describe("one window that is read repeatedly", () => {
  it("keeps its first content, and each repeat is counted as duplicate", async () => {
    const log = [
      ...makeTraffic({ seed: 5, from: start - dayMs, to: start, eventsPerDay: 300 }).events(),
    ];
    await remote.serve(log, { pageCap: 70 });
    await remote.ingest(range);
    const first = await digest();
    for (let i = 1; i < reads; i++) {
      remote.clock.nowMs += 60_000;
      await remote.ingest(range);
    }
    expect(await digest()).toEqual(first);
    const counted = "select sum(inserted) as new, sum(duplicate) as known from ingest_runs";
    const [{ new: brought, known }] = (await remote.home.rows(counted)) as [Record<string, string>];
    expect(Number(brought)).toBe(await remote.home.count("select count(*) from events"));
    expect(Number(known)).toBe((reads - 1) * Number(brought));
    expect(await remote.home.count("select sum(vanished) from ingest_runs")).toBe(0);
    expect(await remote.home.rows("select state, reads from ingest_windows")).toEqual([
      { state: "finalized", reads: String(reads) },
    ]);
  });
});

describe("the order in which a service sends", () => {
  const traffic = makeTraffic({ seed: 6, from: start - dayMs, to: start, eventsPerDay: 400 });
  const log = [...traffic.events()].filter(({ visibleAt }) => visibleAt <= start);
  const shuffled = [...log].sort((a, b) => (place(a) < place(b) ? -1 : 1));

  it("has no effect: oldest first, newest first, unordered", async () => {
    const digests = new Set<string>();
    for (const order of ["oldest_first", "newest_first", "shuffled"] as const) {
      await using other = await newRemote(start + 2 * hourMs);
      await other.serve(log, { pageCap: 90, ...(order === "shuffled" ? {} : { order }) });
      if (order === "shuffled")
        other.fault((request, response) => {
          const asked = new URL(request.url ?? "/", "http://x");
          if (asked.pathname !== "/v4/audits") return false;
          response.end(JSON.stringify(buildPage(shuffled, asked.searchParams)));
          return true;
        });
      expect((await other.ingest(range)).code).toBe(0);
      digests.add(JSON.stringify(await digest(other)));
    }
    expect([...digests]).toHaveLength(1);
  });
});

/** A place in an order that means nothing. */
function place({ record }: LoggedEvent<unknown>): string {
  return createHash("md5").update(JSON.stringify(record)).digest("hex");
}

function buildPage(all: readonly LoggedEvent<unknown>[], asked: URLSearchParams): object {
  const [from, to, page] = ["from", "to", "page"].map((name) => Number(asked.get(name)));
  const inside = all.filter(({ time }) => time >= from! && time < to!);
  const offset = (page! - 1) * 90;
  const next = offset + 90 < inside.length ? page! + 1 : null;
  return { audits: inside.slice(offset, offset + 90).map(({ record }) => record), next_page: next };
}

describe("a load that fails before its commit", () => {
  const settings = () => ({
    home: resolveHome(remote.home.home),
    config: configSchema.parse({}),
    configFile: undefined,
    configFolder: remote.home.folder,
    flags: { logLevel: "silent", progress: "none" as const },
  });
  const ledger = (): Promise<unknown> =>
    remote.home.rows(
      `select
         (select count(*) from event_rows) as events,
         (select count(*) from window_reads) as reads,
         (select count(*) from ingest_pages) as pages,
         (select count(*) from quarantine) as quarantined,
         (select string_agg(run_id || inserted, ',' order by run_id) from ingest_runs) as runs,
         (select string_agg(source || finalized_until || run_id, ',') from checkpoints) as checkpoint`,
    );

  it("leaves events, windows, pages, run and checkpoint as they were", async () => {
    await remote.serve([eventAt(start - dayMs), eventAt(start - hourMs)]);
    await remote.ingest();
    const before = await ledger();
    // The next run's read of a closed window would finalize it and move the checkpoint.
    const landing = join(remote.home.home, "landing");
    const closed = readManifests(landing).manifests.find((manifest) => manifest.closed)!;
    const again = { ...closed, read_id: `${closed.read_id}-again`, read_at: "2026-03-01 03:00:00" };
    const failed = withWriter(settings(), testWorld(), "ingest", async (writer) => {
      const run = newRun({
        runId: again.run_id,
        source: again.source,
        command: "ingest",
        startedAt: again.read_at,
        rangeStart: null,
        rangeEnd: null,
        catalogVersion: writer.catalogVersion,
        toolVersion: "test",
      });
      const full = (): string => {
        throw new Error("the disk is full");
      };
      const how = { counts: { requests: 0, retries: 0 }, finishedAt: full };
      await loadManifest(again, run, settings().home, writer, how);
    });
    await expect(failed).rejects.toThrow("the disk is full");
    expect(await ledger()).toEqual(before);
    remote.clock.nowMs += hourMs;
    expect((await remote.ingest()).err).toContain(
      "verified complete from 2026-02-27T00:00:00Z to 2026-03-01T00:00:00Z",
    );
    expect(await remote.home.count("select count(*) from events")).toBe(2);
  });
});
