import { expect, it } from "vitest";
import type { ActivationResult } from "../../../../pipeline/outgoing/activations/started.ts";
import { formatActivation } from "../../../../pipeline/cli/activate.ts";
import { formatLine } from "../../../../pipeline/base/notice/printer.ts";

const formatLines = (...of: Parameters<typeof formatActivation>): string[] =>
  formatActivation(...of).map(formatLine);

const run: ActivationResult["run"] = {
  runId: "r1",
  activation: "people",
  number: 3,
  startedAt: "2026-03-01 00:00:00",
  finishedAt: "2026-03-01 00:00:01",
  outcome: "delivered",
  allNewBecause: undefined,
  rows: 9,
  counts: { new: 1, updated: 2, deleted: 3, unchanged: 3 },
  accepted: 6,
  refused: 0,
  uncertain: 0,
  error: undefined,
};
const dropped = { changed: 0, gone: 0 };
const activated: ActivationResult = { run, unmapped: [], setAside: 0, dropped, refused: [] };
const classes = "people: 9 rows: 1 new, 2 updated, 3 deleted, 3 unchanged";

it("a complete run is summarized in one line", () => {
  expect(formatLines("people", activated, false)).toEqual([classes, "6 delivered"]);
  expect(formatLines("people", activated, true)).toEqual([
    classes,
    "dry run: nothing was delivered",
  ]);
});

it("the summary explains why all rows are new, and which are skipped, waiting or given up", () => {
  const lines = formatLines(
    "people",
    {
      ...activated,
      run: { ...run, allNewBecause: "the table changed" },
      unmapped: ["deleted"],
      setAside: 1,
      dropped: { changed: 2, gone: 1 },
    },
    false,
  );
  expect(lines).toEqual([
    `${classes} (all new: the table changed)`,
    "deleted: no mapping, so not delivered",
    "1 row not sent, because earlier deliveries failed",
    "2 rows undelivered before and changed since then: the new content applies",
    "1 row undelivered before and no longer in the source: not retried",
    "6 delivered",
  ]);
});

it("the summary names undelivered rows by the first letters of their id, and the remedy", () => {
  const partial = { ...run, outcome: "partial" as const, accepted: 4 };
  const row = { id: "x".repeat(50), status: "new", reason: "no such field" } as const;
  const refused = { ...row, state: "refused" } as ActivationResult["refused"][number];
  expect(
    formatLines(
      "people",
      { ...activated, run: { ...partial, refused: 1, uncertain: 1 }, refused: [refused] },
      false,
    ),
  ).toEqual([
    classes,
    `warning: new "${"x".repeat(40)}" refused: no such field`,
    "4 delivered, 1 refused, 1 uncertain",
    "failed rows are recorded in refused_rows and not sent again; all others count as delivered",
    "--retry-refused retries refused rows",
    "--resend-uncertain resends rows that may have arrived",
    "--accept-refused gives up all of them",
  ]);
  const only = (counts: object): string[] =>
    formatLines("people", { ...activated, run: { ...partial, ...counts } }, false).slice(1);
  expect(only({ refused: 2 })).toEqual([
    "4 delivered, 2 refused",
    expect.stringContaining("recorded in refused_rows"),
    "--retry-refused retries refused rows",
    "--accept-refused gives up all of them",
  ]);
  expect(only({ uncertain: 2 })).toEqual([
    "4 delivered, 2 uncertain",
    expect.stringContaining("recorded in refused_rows"),
    "--resend-uncertain resends rows that may have arrived",
    "--accept-refused gives up all of them",
  ]);
});
