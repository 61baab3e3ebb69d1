import { expect, it } from "vitest";
import { readingTexts } from "../../../support/command.ts";
import { askLake } from "./reader.ts";
import { lakeHome } from "./scene.ts";

const firstMs = Date.parse("2026-03-01T12:00:00Z");
const jobs = Array.from({ length: 4 }, (_, day) => ({
  time: firstMs / 1000 + day * 86_400,
  id: `job-${day}`,
  event_name: "job_issue",
  resource_id: `j${day}`,
  resource_name: `shop.j${day}`,
  query_text: `select name from shop.visits_${day}`,
}));

it("pruning keeps the tables of query texts through prunes after which no text is read", async () => {
  using home = lakeHome();
  const now = (): number => Date.parse("2026-06-01T00:00:00Z");
  await home.load(jobs);
  expect((await home.run(["publish"], { env: readingTexts })).code).toBe(0);
  await home.lake("publish");
  const findNamed = async (): Promise<unknown> =>
    askLake(home.root, "query_table_rows", "table_name");
  const before = await findNamed();
  expect(before).toHaveLength(jobs.length);
  for (const day of ["2026-03-02", "2026-03-04"]) {
    const argv = ["prune", "--events", "--before", day, "--yes"];
    expect((await home.run(["--config", home.config, ...argv], { now })).code).toBe(0);
    expect((await home.lake("publish")).code).toBe(0);
  }
  expect(await findNamed()).toEqual(before);
});
