import { expect, it } from "vitest";
import type { Manifest } from "../../../../pipeline/core/landing/manifests.ts";
import { writeTombstone } from "../../../../pipeline/core/landing/tombstones.ts";
import { planRebuild } from "../../../../pipeline/core/rebuild/plan-rebuild.ts";
import { newHome } from "../../../support/home.ts";

const at = (day: number): string => `2026-02-0${day} 00:00:00.000`;
const choices = { carryOver: false, force: false };
const read: Manifest = {
  version: 1,
  read_id: "r1",
  run_id: "r",
  command: "ingest",
  source: "east",
  window_start: at(1),
  window_end: at(2),
  window_ms: 86_400_000,
  read_at: at(3),
  server_time: null,
  closed: true,
  nightly: true,
  range_start: at(1),
  records_at: null,
  pages: [],
};
const tombstone = { version: 1 as const, events: 0, quarantined: 0, source: null };
const pages = {
  ...tombstone,
  prune_id: "pages",
  pruned_at: at(4),
  before: at(2),
  with_events: false,
};
const events = { ...pages, prune_id: "events", pruned_at: at(5), with_events: true };

it.each([
  ["none", {}, read, true],
  ["one from before it", { ...events, pruned_at: at(3) }, read, true],
  ["one of an earlier time", { ...events, before: at(1) }, read, true],
  ["one of another source", { ...events, source: "west" }, read, true],
  ["one that left what folds go on from", { ...events, keeps_folds: true as const }, read, true],
  ["one, and it is a file of unknown age", events, { ...read, window_end: null }, true],
  ["one of all sources", events, read, false],
  ["one of its source", { ...events, source: "east" }, read, false],
])(
  "a read is loaded if its pages were pruned, unless a prune deleted its events since: %s",
  async (_what, since, of, isAskedFor) => {
    using home = newHome();
    await writeTombstone(home.folder, { ...pages, reads: [of] });
    if ("prune_id" in since) await writeTombstone(home.folder, { ...since, reads: [] });
    const plan = (): unknown => planRebuild(home.folder, undefined, choices);
    if (isAskedFor) expect(plan).toThrow(/read r1 was pruned and is in no readable database/);
    else expect(plan()).toMatchObject({ leftOut: [], pending: [] });
  },
);
