import { expect, it } from "vitest";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import { listMarks } from "../../../../pipeline/core/landing/marks.ts";
import { acceptRange } from "../../../../pipeline/core/load/mark-windows.ts";
import { enterReads, inWarehouse } from "../../../queries/timeline/ledger.ts";
import { homeWithWarehouse } from "../../../support/home.ts";

const hourMs = 3_600_000;
const start = Date.UTC(2026, 2, 1);
const hours = (from: number, until: number) => ({
  startMs: start + from * hourMs,
  endMs: start + until * hourMs,
});

it("accepting a range includes all that is not final: coverage gaps and unread time, up to its edges", async () => {
  using home = await homeWithWarehouse();
  const reads = [
    [0, 2, "finalized"],
    [2, 3, "gap"],
    [4, 5, "finalized"],
    [5, 6, "finalized"],
    [6, 7, "gap"],
  ] as const;
  await enterReads(
    home,
    "default",
    reads.map(([from, until, state]) => {
      const { startMs: fromMs, endMs: untilMs } = hours(from, until);
      return { fromMs, untilMs, state };
    }),
  );
  const { landing } = resolveHome(home.home);
  await inWarehouse(home, async (connection) => {
    const context = { connection, landing, runId: "r", nowMs: start + 9 * hourMs };
    const accept = (from: number, until: number): Promise<unknown> =>
      acceptRange(context, "default", hours(from, until), "seen");
    expect(await accept(0, 2)).toEqual([]);
    expect(await accept(1, 8)).toEqual([hours(2, 4), hours(6, 8)]);
  });
  expect(listMarks(landing).map(({ note }) => note)).toEqual(["seen", "seen"]);
});
