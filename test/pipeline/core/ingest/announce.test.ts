import { expect, it } from "vitest";
import { announceRange, printPause } from "../../../../pipeline/core/ingest/ingest-windows.ts";
import { buildSource } from "../source/discovery/found.ts";
import { testWorld } from "../../../support/world.ts";

const dayMs = 86_400_000;
const start = Date.UTC(2026, 2, 1);

it("the next read is announced, with its reason", () => {
  const source = { ...buildSource(), name: "prod" };
  const range = { startMs: start, endMs: start + dayMs };
  const before = (isFirst: boolean, isScheduled: boolean, loaded: number): string => {
    const world = testWorld();
    announceRange({ range, isFirst, windows: [], planned: [] }, isScheduled, loaded, source, world);
    return world.err();
  };
  const reading = "reading 2026-03-01T00:00:00Z to 2026-03-02T00:00:00Z";
  expect(before(false, true, 0)).toBe(`${reading}, from the checkpoint and the look-back\n`);
  expect(before(true, false, 0)).toBe(`${reading}, as requested\n`);
  expect(before(false, false, 1)).toBe(
    `loaded 1 read stored by an earlier run\n${reading}, as requested\n`,
  );
  expect(before(true, true, 0)).toMatch(
    /Z: no checkpoint yet, so only the look-back of .*; for more, auditlake ingest --source prod --from 30d --confirm\n$/,
  );
});

it("a pause of more than a day and a half since the last read causes a warning", () => {
  const pause = (ms: number | undefined): string => {
    const world = testWorld();
    printPause(ms === undefined ? undefined : start - ms, start, world);
    return world.err();
  };
  expect([pause(undefined), pause(1.5 * dayMs)]).toEqual(["", ""]);
  expect(pause(1.5 * dayMs + 1)).toMatch(
    /^warning: the last read was .* ago; this run requests everything since then/,
  );
});
