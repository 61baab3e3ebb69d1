import { afterEach, beforeEach, expect, it } from "vitest";
import { lockOwnRun } from "../../../../pipeline/outgoing/schedule/run-jobs.ts";
import { newHome, type TestHome } from "../../../support/home.ts";
import { testWorld } from "../../../support/world.ts";
import { settingsIn } from "./settings.ts";

let home: TestHome;
beforeEach(() => {
  home = newHome();
});
afterEach(() => home[Symbol.dispose]());

const sinceMs = Date.parse("2026-11-21T10:00:00Z");
const halfDayMs = 12 * 3_600_000;

it("a run may take half a day, with a message, and is a failure after that", () => {
  const lock = (afterMs: number, quiet?: true) => {
    const world = testWorld({ now: () => sinceMs + afterMs });
    return {
      taken: lockOwnRun("daily", settingsIn(home, {}, quiet ? { quiet } : {}), world),
      err: world.err(),
    };
  };
  using _held = lock(0).taken;
  expect(lock(halfDayMs)).toEqual({
    taken: undefined,
    err: "daily: skipped, because its run of 2026-11-21T10:00:00.000Z is still active\n",
  });
  expect(lock(1, true)).toEqual({ taken: undefined, err: "" });
  expect(() => lock(halfDayMs + 1)).toThrow(expect.objectContaining({ exitCode: 5 }));
});

it("an unavailable lock is not treated as a running job", () => {
  const world = testWorld({ now: () => sinceMs });
  home.write("home/schedule/job-daily.lock.sqlite", "no database".repeat(20));
  expect(() => lockOwnRun("daily", settingsIn(home, {}), world)).toThrow("cannot lock");
  expect(world.err()).toBe("");
});
