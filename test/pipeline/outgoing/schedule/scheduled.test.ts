import { expect, test } from "vitest";
import { exitCode } from "../../../../pipeline/base/errors.ts";
import { runScheduled } from "../../../../pipeline/outgoing/schedule/attempt.ts";
import { hourMs, minuteMs, play, start, type Play } from "./play.ts";

const jobs = { nightly: { cron: "15 2 * * *", ingest: {} } };
const atMs = start + 10 * minuteMs;

// Each time a minute and a second pass.
test.each<[what: string, jump: Play["jump"], times: number]>([
  ["is right", undefined, 61],
  ["is set back meanwhile", { atMs, byMs: -24 * hourMs }, 61],
  ["is set ahead meanwhile", { atMs, byMs: 2 * hourMs }, 11],
])(
  "a lock that stays taken is given up after an hour, when the clock %s",
  async (_, jump, times) => {
    let tries = 0;
    let code: number | undefined;
    const run: Play["run"] = () => {
      if ((tries += 1) > 100) throw new Error("tried for ever");
      return { tookMs: 1000, code: exitCode.locked, cause: "locked" };
    };
    await play({ jobs, run, ...(jump && { jump }) }, async ([job], runner) => {
      code = await runScheduled(job!, runner);
    });
    expect([code, tries]).toEqual([exitCode.locked, times]);
  },
);
