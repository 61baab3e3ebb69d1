import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { folderStore } from "../../../../pipeline/adapters/lake/folder.ts";
import { askLake, filesOf, versionsOf } from "./reader.ts";
import { type LakeHome, lakeHome, publishThrough } from "./scene.ts";

// A prune takes a part of a job, and another part comes after it: the lake has the job as it is whole.

const now = (): number => Date.parse("2026-06-01T00:00:00Z");
const ingester = "feedfeedfeedfeed";
const tables = [
  "event_rows",
  "active_day_rows",
  "job_rows",
  "query_table_rows",
  "query_column_rows",
];

function event(at: string, name: string, job: string, more: object = {}): object {
  const what = { resource_id: job, resource_name: `db1.${job}`, user_id: 7 };
  return {
    time: Date.parse(`${at}Z`) / 1000,
    id: `${at} ${name}`,
    event_name: name,
    ...what,
    ...more,
  };
}

const said = (at: string, job: string, status: string): object =>
  event(at, "job_modify", job, { attribute_name: "status", new_value: status });

function newScene(): LakeHome {
  const home = lakeHome();
  mkdirSync(join(home.home, "lake"), { recursive: true, mode: 0o700 });
  writeFileSync(join(home.home, "lake", "ingester.json"), JSON.stringify({ ingester }));
  return home;
}

const publish = (home: LakeHome): ReturnType<typeof publishThrough> =>
  publishThrough(home, folderStore(home.root), ingester, { tables });

// Where its files are, a row is.
const jobs = ({ root }: LakeHome): Promise<string[] | undefined> =>
  askLake(root, "job_rows", "concat(split_part(filename, '/', -2), ' ', to_json(t))");

it("has a job whole of which a prune took a part, as if none had been", async () => {
  using pruned = newScene();
  using twin = newScene();
  const before = [
    event("2026-03-02T09:00:00", "job_issue", "111", { job_type: "trino", query_text: "select 1" }),
    said("2026-03-02T09:00:05", "111", "running"),
    said("2026-03-02T09:01:00", "111", "success"),
    event("2026-03-20T10:00:00", "sign_in", "0"),
  ];
  const late = { attribute_name: "priority", old_value: "0", new_value: "2" };
  const after = [event("2026-03-02T09:00:30", "job_modify", "111", late)];
  for (const home of [pruned, twin]) {
    await home.load(before, { now });
    await publish(home);
  }
  const prune = ["prune", "--events", "--before", "2026-03-03", "--yes"];
  const { code, err } = await pruned.run(["--config", pruned.config, ...prune], { now });
  expect([code, err]).toEqual([0, expect.any(String)]);
  for (const home of [pruned, twin]) {
    await home.load(after, { now });
    await publish(home);
  }
  const whole = await jobs(twin);
  expect(whole).toEqual([
    expect.stringMatching(/activity_date=2026-03-02.*"issued_at":"2026-03-02/),
  ]);
  expect(await jobs(pruned)).toEqual(whole);
  const { root } = pruned;
  expect(filesOf(root, "job_rows", versionsOf(root)["job_rows"]!)).toHaveLength(1);
  expect((await publish(pruned)).isChanged).toBe(false);
});
