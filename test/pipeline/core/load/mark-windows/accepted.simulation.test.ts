import { expect, it } from "vitest";
import { hourMs } from "../../../../support/remote.ts";
import { daily, day, newSeveralRuns, text } from "../several-runs.ts";

const scene = newSeveralRuns();
const { states, checkpoint, runAt } = scene;

it("an accepted range stays accepted outside of the scheduled range, and delays nothing", async () => {
  await scene.remote.serve(daily(-2, 12));
  await runAt(day(0) + 2 * hourMs);
  expect(await states()).toMatchObject({ "02-27": "closed", "02-28": "closed" });
  const range = ["--from", "2026-02-27", "--to", "2026-03-01", "--reason", "seen"];
  const { code, err } = await scene.remote.ingest(["accept", ...range]);
  expect([code, err]).toEqual([0, expect.stringContaining("accepted 2026-02-27T00:00:00Z")]);
  expect(await states()).toMatchObject({ "02-27": "accepted" });
  for (const n of [10, 11]) {
    await runAt(day(n) + 2 * hourMs);
    expect(await states()).toMatchObject({ "02-27": "accepted" });
  }
  expect(await checkpoint()).toBe(text(day(10)));
});
