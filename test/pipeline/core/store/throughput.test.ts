import { expect, it } from "vitest";
import { newHome } from "../../../support/home.ts";

// A lower bound far below what `make bench` measures, and far above loading row by row.
const leastPerSecond = 2000;
const count = 40_000;

it("an import needs no statement per row: it loads thousands of records in a second of CPU time", async () => {
  using home = newHome();
  await home.load([{ time: 1, event_name: "sign_in" }]);
  const records = Array.from({ length: count }, (_, i) => ({
    time: 1767225600 + (i % 86_400),
    event_name: "job_kill",
    id: `event-${i}`,
  }));
  const before = process.cpuUsage();
  expect((await home.load(records)).code).toBe(0);
  const { user, system } = process.cpuUsage(before);
  expect(count / ((user + system) / 1e6)).toBeGreaterThan(leastPerSecond);
});
