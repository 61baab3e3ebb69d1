import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import {
  type Manifest,
  getManifestPath,
  readManifests,
} from "../../../../pipeline/core/landing/manifests.ts";
import { getPagePath } from "../../../../pipeline/core/landing/store.ts";
import { listTombstones, writeTombstone } from "../../../../pipeline/core/landing/tombstones.ts";
import { finishPrunes } from "../../../../pipeline/core/rebuild/finish-prunes.ts";
import { listRecordedPrunes, recordPrune } from "../../../../pipeline/core/store/prune.ts";
import { inWarehouse } from "../../../queries/timeline/ledger.ts";
import { homeWithWarehouse } from "../../../support/home.ts";

it("a prune that was interrupted after its tombstone is recorded, and its files are removed", async () => {
  using test = await homeWithWarehouse();
  for (const day of [1, 2])
    await test.load([{ time: Date.UTC(2026, 0, day) / 1000, event_name: "job_kill" }]);
  const home = resolveHome(test.home);
  const [first, second] = readManifests(home.landing).manifests as [Manifest, Manifest];
  await writeTombstone(home.landing, {
    version: 1,
    prune_id: "p1",
    pruned_at: "2026-03-01 00:00:00",
    before: "2026-01-02 00:00:00",
    source: null,
    with_events: false,
    events: 1,
    quarantined: 0,
    reads: [first],
  });
  await inWarehouse(test, async (connection) => {
    for (let times = 0; times < 2; times++) {
      expect(await finishPrunes(home, connection)).toBe(times === 0);
      const entered = await listRecordedPrunes(connection);
      expect(entered.map(({ pruneId, readIds }) => [pruneId, readIds])).toEqual([
        ["p1", [first.read_id]],
      ]);
      for (const { read_id: id, pages } of [first, second]) {
        const isLeft = id === second.read_id;
        expect(existsSync(getManifestPath(home.landing, id))).toBe(isLeft);
        expect(existsSync(getPagePath(home.landing, pages[0]!))).toBe(isLeft);
      }
    }
  });
  expect(listTombstones(home.landing)).toHaveLength(1);
});

it("a prune that was killed before its tombstone is reported once", async () => {
  using test = await homeWithWarehouse();
  await test.load([{ time: Date.UTC(2026, 0, 1) / 1000, event_name: "job_kill" }]);
  const home = resolveHome(test.home);
  const times = { prunedAt: "2026-03-01 00:00:00", before: "2026-01-01 00:00:00", source: null };
  const none = { readIds: [], events: 0, quarantined: 0, withEvents: true, keepsFolds: false };
  await inWarehouse(test, async (connection) => {
    expect(await finishPrunes(home, connection)).toBe(false);
    await recordPrune(connection, { pruneId: "p1", ...times, ...none });
    expect(await finishPrunes(home, connection)).toBe(true);
    expect(await finishPrunes(home, connection)).toBe(false);
  });
  expect(listTombstones(home.landing)).toHaveLength(1);
});
