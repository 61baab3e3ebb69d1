import { expect, it } from "vitest";
import { newHome } from "../../../support/home.ts";
import { serving } from "../../../support/serve.ts";

it("answers a thousand requests at once, or reports that it is busy", async () => {
  using home = newHome();
  await home.load([{ time: 1_767_225_600, event_name: "job_kill", id: "a" }]);
  await using served = await serving(home);
  const path = "/events?since=2026-01-01&until=2026-02-01";
  const answers = await Promise.all(Array.from({ length: 1000 }, () => served.get(path)));
  const statuses = Map.groupBy(answers, ({ status }) => status);
  expect([...statuses.keys()].sort()).toEqual(statuses.has(503) ? [200, 503] : [200]);
  expect(statuses.get(200)!.length).toBeGreaterThan(4);
  for (const busy of statuses.get(503) ?? []) expect(busy.headers.get("retry-after")).toBe("2");
  // Pages come in pieces: they are over when they were read to their ends.
  await Promise.all(answers.map((answer) => answer.text()));
  expect((await served.get(path)).status).toBe(200);
});
