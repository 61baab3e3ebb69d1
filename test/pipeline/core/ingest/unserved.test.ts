import { describe, expect, it } from "vitest";
import { newFetchQueue } from "../../../../pipeline/core/ingest/fetch-queue.ts";
import type { PlannedFetch } from "../../../../pipeline/core/ingest/plan-fetches.ts";
import type { Fetch, LandResult, GivenUp } from "../../../../pipeline/core/ingest/fetch.ts";
import type { Manifest } from "../../../../pipeline/core/landing/manifests.ts";
import { UnexpectedStatus, UnservedPage } from "../../../../pipeline/core/source/faults.ts";

// Windows with a page that a service does not serve, with a service that is a function.

const window = (from: number, to: number): PlannedFetch => ({
  startMs: from * 1000,
  endMs: to * 1000,
  splitsMs: [],
});
const land = (): LandResult => ({ manifest: { read_id: "read" } as Manifest });
const newUnserved = (more: Partial<GivenUp> = {}): LandResult => ({
  givenUp: {
    firstPage: undefined,
    isInside: false,
    hasStarted: false,
    fault: new UnservedPage("500"),
    ...more,
  },
});

type Ended = { readonly landed: string[]; readonly failed: string[]; readonly requests: number };

/** Lands or fails each fetch as the service says; a failed second that is a gap has a mark behind it. */
async function end(
  plan: readonly PlannedFetch[],
  serve: (task: Fetch) => LandResult,
): Promise<Ended> {
  let requests = 0;
  const fetches = newFetchQueue(plan, 4, true, (task) => {
    requests += 1;
    return Promise.resolve(serve(task));
  });
  const names = { landed: [] as string[], failed: [] as string[] };
  for (let one = await fetches.next(); one !== undefined; one = await fetches.next()) {
    const { startMs, endMs } = one.fetch.window;
    const name = `${startMs / 1000}-${endMs / 1000}${one.fetch.isUnserved === true ? " gap" : ""}`;
    ("manifest" in one ? names.landed : names.failed).push(name);
  }
  return { ...names, requests };
}

const holds = ({ window: { startMs, endMs } }: Fetch, second: number): boolean =>
  startMs <= second * 1000 && endMs > second * 1000;

const day = window(0, 86_400);
const month = Array.from({ length: 30 }, (_, i) => window(i * 86_400, (i + 1) * 86_400));

describe("a second that the service does not return", () => {
  it.each([true, false])(
    "is the only failure of its window (page before it: %s)",
    async (hasStarted) => {
      const serve = (task: Fetch): LandResult =>
        holds(task, 50_000) ? newUnserved({ hasStarted }) : land();
      const { landed: parts, failed, requests } = await end([day], serve);
      expect(failed).toEqual(["50000-50001 gap"]);
      const edges = parts.flatMap((part) => part.split("-").map(Number));
      expect(new Set(edges)).toContain(50_001);
      expect(edges.length / 2).toBe(parts.length);
      expect(requests).toBeLessThan(40);
    },
  );

  it("is one failure the next day, when it was planned separately", async () => {
    const { failed, requests } = await end([window(5, 6)], () => newUnserved());
    expect([failed, requests]).toEqual([["5-6"], 1]);
  });
});

describe("a failure that is not of one record", () => {
  it("such as a service that is down costs a few requests more, and is no coverage gap", async () => {
    const { failed, requests } = await end(month, () => newUnserved());
    // Some of the windows in parts.
    expect(failed.length).toBeLessThan(45);
    expect(failed[0]).toMatch(/^0-/);
    expect(failed.at(-1)).toBe(`${29 * 86_400}-${30 * 86_400}`);
    expect(failed.join(" ")).not.toContain("gap");
    expect(requests).toBeLessThan(80);
  });

  it("of a service that goes down after some windows and pages costs as little", async () => {
    let served = 10;
    const serve = (): LandResult => {
      served -= 1;
      if (served > 0) return land();
      return newUnserved(served === 0 ? { hasStarted: true, firstPage: "a", isInside: true } : {});
    };
    const { failed, landed: all, requests } = await end(month, serve);
    expect(all).toHaveLength(9);
    expect(failed.join(" ")).not.toContain("gap");
    expect(requests).toBeLessThan(150);
  });

  it("of every first page is one failure for each window", async () => {
    const fault = new UnexpectedStatus("400");
    const { failed, requests } = await end(month, () => newUnserved({ fault }));
    expect([failed.length, requests]).toEqual([30, 30]);
  });

  it.each([true, false])(
    "of a service that ignores the range is given up (same page: %s)",
    async (isSame) => {
      let page = 0;
      const serve = (): LandResult =>
        newUnserved({
          hasStarted: true,
          firstPage: isSame ? "a" : String((page += 1)),
          isInside: false,
        });
      const { failed, requests } = await end(month, serve);
      expect(failed).toHaveLength(30);
      expect(requests).toBeLessThan(150);
    },
  );
});
