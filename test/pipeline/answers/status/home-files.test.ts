import { utimesSync } from "node:fs";
import { expect, it } from "vitest";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import { readHomeFiles } from "../../../../pipeline/answers/status/home-files.ts";
import { formatFiles } from "../../../../pipeline/answers/status/print.ts";
import { newHome } from "../../../support/home.ts";

// As `prune` leaves it, of a separate run.
const tombstone = (before: string, at: string) => ({
  version: 1,
  prune_id: `p${at}`,
  pruned_at: `${at} 00:00:00`,
  before: `${before} 00:00:00`,
  source: null,
  with_events: false,
  events: 0,
  quarantined: 0,
  reads: [],
});

it("the sizes of upgrade copies and landing are added up, with the time from which landing is incomplete", () => {
  using home = newHome();
  const at = new Date("2026-03-04T05:06:07Z");
  utimesSync(home.write("home/audit.duckdb", "x".repeat(2500)), at, at);
  for (const [end, bytes] of [
    ["2025", 1000],
    ["2026", 500],
  ] as const)
    home.write(`home/warehouse.duckdb.version-1-${end}`, "x".repeat(bytes));
  home.write("home/landing/a", "x".repeat(30));
  home.write("home/landing/b/c", "x".repeat(12));
  const found = readHomeFiles(resolveHome(home.home));
  expect(found).toEqual({
    home: home.home,
    published: { bytes: 2500, written_at: "2026-03-04T05:06:07.000Z" },
    warehouse: null,
    old_store: { bytes: 1500 },
    landing: { files: 2, bytes: 42, pruned_before: null },
    evidence: {
      entries: 0,
      head: "none",
      without_entry: [],
      without_file: [],
      changed: [],
      faults: [],
    },
  });
  expect(formatFiles(found)).toBe(`  home                ${home.home}
  published           2.50 kB, written 2026-03-04 05:06:07
  warehouse           none yet
  old store           1.50 kB, auditlake prune --old-store removes it
  landing             2 files, 42 bytes
  evidence            0 entries, no head yet
`);
});

it("the time from which landing alone is enough follows the furthest prune", () => {
  using home = newHome();
  // The one that was made last reaches less far.
  for (const [before, at] of [
    ["2026-02-01", "2026-03-01"],
    ["2026-01-01", "2026-03-02"],
  ] as const)
    home.write(`home/landing/pruned/p${at}.json`, JSON.stringify(tombstone(before, at)));
  const found = readHomeFiles(resolveHome(home.home));
  expect(found.landing.pruned_before).toBe("2026-02-01T00:00:00Z");
  expect(formatFiles(found)).toMatch(
    /\n {2}rebuild {13}from landing alone only since 2026-02-01 00:00:00\n/,
  );
});
