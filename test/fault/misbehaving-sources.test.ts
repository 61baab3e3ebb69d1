import { expect, test } from "vitest";
import { expectFigure } from "./expect-figure.ts";
import { wellBehavedFigure, misbehavingFigure } from "./misbehaving-sources.ts";
import { inBed } from "./bed.ts";
import { fewOrAll } from "./length.ts";
import { runBatch } from "./services/batch.ts";
import { makePlan } from "./services/draw.ts";
import { tryRuns } from "./services/trial.ts";

test.each([misbehavingFigure, wellBehavedFigure])(
  "$name: $asked",
  { timeout: 600_000 },
  async (figure) => void (await expectFigure(figure)),
);

// Each was a bug. Records were at the end of an empty window. Late events came for a window after it was last
// requested, or when its answer, with a fault in it, was refused. An empty list of faults was beside the empty list
// of records. Windows filled one page each, so that no next page was ever followed. An event came late for a
// finalized window of which the service returned nothing any more. Two reads agreed that were missing what another
// one had shown. A longer range, requested for another window's end, showed what came late. The window that shows an
// end did not exist yet. All events of a window came between a complete read and one that hid them, which is
// undetectable. Three bursts of equal records came in no order, so that many pages were equal.
test.each([
  ["misbehaving", fewOrAll([9710], [21, 553, 5210, 6682, 9710])],
  ["well_behaved", fewOrAll([9578], [23, 126, 1636, 1991, 5660, 5681, 9578])],
] as const)("seeds of %s sources that failed before", { timeout: 120_000 }, async (side, seeds) => {
  expect(await runBatch(seeds, side)).toEqual([]);
});

test(
  "the simulation detects a misbehaving source whose claims are accepted as evidence",
  { timeout: 120_000 },
  async () => {
    // Ends like a complete answer, from a service without time ranges: if the configuration asserts it, it is
    // finalized.
    const plans = Array.from({ length: 500 }, (_, i) => makePlan(i, "misbehaving"));
    const plan = plans.find(
      ({ misbehavior, manners }) =>
        misbehavior?.name === "cap" && manners.style === "none" && manners.range.how === "ignored",
    )!;
    const { audits } = plan.source;
    const trusted = { ...audits, paging: { ...audits.paging, whole: true } };
    const source = { ...plan.source, audits: trusted };
    const { complaints } = await inBed((bed) => tryRuns({ ...plan, source }, bed));
    expect(complaints.join("\n")).toMatch(/finalized while incomplete: \d+ of \d+ in .* missing/);
  },
);
