import { expect, test } from "vitest";
import { getShort } from "./figure.ts";
import { wellBehavedFigure, misbehavingFigure } from "./misbehaving-sources.ts";
import { inBed } from "./bed.ts";
import { fewOrAll } from "./length.ts";
import { runBatch } from "./services/batch.ts";
import { makePlan } from "./services/draw.ts";
import { tryRuns } from "./services/trial.ts";

test.each([misbehavingFigure, wellBehavedFigure])(
  "$name: $asked",
  { timeout: 600_000 },
  async (figure) => {
    const count = getShort(figure);
    const { done, failures } = await figure.run(count, 1, () => undefined);
    expect(failures).toEqual([]);
    expect(done).toBe(count);
  },
);

// Each was a fault once. Records stood at the end of an empty window. Late events came for a window after it was last
// asked for, or when its answer, with a fault in it, was refused. An empty list of faults stood beside the empty list
// of records. Windows filled one page each, so that no next page was ever followed. An event came late for a final
// window of which the service gave nothing any more. Two reads agreed that lacked what another one had shown. A longer
// range, asked for another window's end, showed what came late. The window that shows an end was not there yet. All
// events of a window came between an honest reading and one that hid them: nobody can know. Three bursts of
// equal records came in no order, so that many pages were equal.
test.each([
  ["misbehaving", fewOrAll([5210, 9710], [21, 553, 5210, 6682, 9710])],
  ["well_behaved", fewOrAll([5660, 9578], [23, 126, 1636, 1991, 5660, 5681, 9578])],
] as const)("seeds of %s sources that failed before", { timeout: 120_000 }, async (side, seeds) => {
  expect(await runBatch(seeds, side)).toEqual([]);
});

test(
  "the simulation detects a misbehaving source whose claims are accepted as evidence",
  { timeout: 120_000 },
  async () => {
    // Ends like a whole answer, from a service that takes no range: with somebody's word for it, it becomes final.
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
