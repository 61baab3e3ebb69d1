import { describe, expect, it } from "vitest";
import { onePublication } from "./one-publication.ts";
import { askLake } from "./reader.ts";

const scene = onePublication();
const now = (): number => Date.parse("2026-06-01T00:00:00Z");
const prune = ["prune", "--events", "--before", "2026-03-02", "--yes"];

const jobAt = (id: string, at: string, event_name: string, more: object = {}): object => ({
  time: Date.parse(`${at}Z`) / 1000,
  id: `${id} ${at}`,
  event_name,
  resource_id: id,
  resource_name: `db1.${id}`,
  user_id: 7,
  ...more,
});

describe("a job from before the prune mark", () => {
  const statusAt = (id: string, at: string, status: string): object =>
    jobAt(id, at, "job_modify", { attribute_name: "status", new_value: status });
  const inLake = async (): Promise<string[] | undefined> =>
    askLake(scene.home.root, "job_rows", "concat(job_id, ' ', status, ' ', issued_at is not null)");

  it("stays if a late part of it arrives, and changes if the database has all of it", async () => {
    const { home } = scene;
    const issue = { job_type: "trino", query_text: "select 1" };
    await home.load([
      jobAt("ended", "2026-03-01T09:00:00", "job_issue", issue),
      statusAt("ended", "2026-03-01T09:01:00", "success"),
      jobAt("going-on", "2026-03-01T10:00:00", "job_issue", issue),
      statusAt("going-on", "2026-03-03T09:00:00", "running"),
    ]);
    await home.lake("publish");
    expect((await home.run(["--config", home.config, ...prune], { now })).code).toBe(0);
    await home.load([
      statusAt("ended", "2026-03-01T09:00:30", "running"),
      statusAt("going-on", "2026-03-03T10:00:00", "success"),
    ]);
    await home.lake("publish");
    expect((await inLake())!.filter((job) => /^(ended|going-on) /.test(job)).sort()).toEqual([
      "ended success true",
      "going-on success true",
    ]);
    expect((await home.lake("publish")).err).toMatch(/nothing changed/);
  });
});
