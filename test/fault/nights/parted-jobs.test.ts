import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderStore } from "../../../pipeline/adapters/lake/folder.ts";
import { askLake } from "../../pipeline/adapters/lake/reader.ts";
import { type LakeHome, lakeHome, publishThrough } from "../../pipeline/adapters/lake/scene.ts";
import { randomOf } from "../../../fixtures/random.ts";
import { fewOrAll } from "../length.ts";
import { compared, ingester } from "./years.ts";

// A prune takes a part of a job, and another part comes after it. The lake has what that of a twin has that never
// pruned.

const now = (): number => Date.parse("2026-06-01T00:00:00Z");
let ids = 0;

type Fields = Readonly<Record<string, unknown>>;

function event(at: string, name: string, job: string, more: Fields = {}): Fields {
  const time = Date.parse(`${at}Z`) / 1000;
  const what = {
    resource_id: job,
    resource_name: `db1.${job}`,
    user_id: 7,
    email: "a@example.com",
  };
  return { time, id: `parted-${(ids += 1)}`, event_name: name, ...what, ...more };
}

const issue = (at: string, job: string): Fields =>
  event(at, "job_issue", job, { job_type: "trino", query_text: `select a from s.t${job}` });
const said = (at: string, job: string, status: string): Fields =>
  event(at, "job_modify", job, { attribute_name: "status", new_value: status });

async function load(home: LakeHome, source: string, records: readonly Fields[]): Promise<void> {
  if (records.length === 0) return;
  const file = home.write(
    `l-${(ids += 1)}.ndjson`,
    records.map((r) => JSON.stringify(r)).join("\n"),
  );
  const { code, err } = await home.run(["import", "--source", source, file], { now });
  expect([code, err]).toEqual([0, expect.any(String)]);
}

const publish = (home: LakeHome): Promise<unknown> =>
  publishThrough(home, folderStore(home.root), ingester, { tables: compared });

// Where its files are, a row is.
const place = "split_part(filename, '/', -2)";
const columns: Readonly<Record<string, string>> = {
  event_rows: "event_key",
  job_rows: `concat(${place}, ' ', to_json(t))`,
  query_table_rows: `concat(${place}, ' ', to_json(t))`,
  query_column_rows: `concat(${place}, ' ', to_json(t))`,
};

async function inLake({ root }: LakeHome): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const [table, text] of Object.entries(columns))
    found[table] = await askLake(root, table, text);
  return found;
}

type Step = readonly ["a" | "b", readonly Fields[]] | readonly ["prune", string, ...string[]];

/** Plays the steps in a home that publishes after each, and without its prunes in a twin that does so at the end. */
async function played(steps: readonly Step[]): Promise<void> {
  using home = lakeHome();
  using twin = lakeHome();
  for (const each of [home, twin]) {
    mkdirSync(join(each.home, "lake"), { recursive: true, mode: 0o700 });
    writeFileSync(join(each.home, "lake", "ingester.json"), JSON.stringify({ ingester }));
  }
  for (const step of steps) {
    if (step[0] === "prune") {
      const [, before, ...argv] = step;
      const { code, err } = await home.run(
        ["--config", home.config, ...argv, "prune", "--events", "--before", before, "--yes"],
        { now },
      );
      expect([code, err]).toEqual([0, expect.any(String)]);
      continue;
    }
    for (const each of [home, twin]) await load(each, step[0], step[1] as readonly Fields[]);
    await publish(home);
  }
  await publish(twin);
  const expected = await inLake(twin);
  expect(expected["job_rows"]).not.toHaveLength(0);
  expect(await inLake(home)).toEqual(expected);
  expect((await home.lake("verify")).out).not.toMatch(/other rows/);
}

const first = [
  issue("2026-03-02T09:00:00", "111"),
  said("2026-03-02T09:00:05", "111", "running"),
  said("2026-03-02T09:01:00", "111", "success"),
  said("2026-03-05T00:00:05", "222", "running"),
  event("2026-03-20T10:00:00", "sign_in", "0"),
];
const ofB = [
  said("2026-03-05T00:00:05", "333", "running"),
  said("2026-03-05T00:01:05", "333", "success"),
];

describe("a job of which a prune took a part", () => {
  it("stays whole where a late event comes, moves to the day of its issue, and is there once", async () => {
    const priority = { attribute_name: "priority", old_value: "0", new_value: "2" };
    await played([
      ["a", first],
      ["b", ofB],
      ["prune", "2026-03-10", "--source", "a"],
      [
        "a",
        [
          event("2026-03-02T09:00:30", "job_modify", "111", priority),
          issue("2026-03-04T23:59:58", "222"),
        ],
      ],
      ["b", [issue("2026-03-04T23:59:58", "333")]],
    ]);
  });

  it("goes on after its end, is pruned again, and stands on its first day", async () => {
    await played([
      [
        "a",
        [
          ...first,
          said("2026-03-02T10:00:00", "444", "running"),
          said("2026-03-02T10:01:00", "444", "error"),
        ],
      ],
      ["prune", "2026-03-03"],
      [
        "a",
        [
          said("2026-03-04T08:00:00", "444", "running"),
          said("2026-03-04T08:01:00", "444", "success"),
        ],
      ],
      // Its day changes for another reason.
      ["a", [issue("2026-03-04T12:00:00", "555")]],
      ["prune", "2026-03-10"],
      ["a", [issue("2026-03-01T23:00:00", "444"), issue("2026-03-06T12:00:00", "666")]],
    ]);
  });
});

// Drawn histories: jobs of a few days, whose events come in any order, and prunes between.

const statuses = ["running", "success", "error", "queued"];

function drawnSteps(seed: number): Step[] {
  const random = randomOf(seed, "parted jobs");
  const days = Array.from({ length: 6 }, (_, i) => `2026-03-0${i + 1}`);
  const drawn = (): Fields => {
    const at = `${random.pick(days)}T${random.pick(["00", "09", "23"])}:00:${random.int(10, 59)}`;
    const job = `${random.int(1, 9)}`;
    const priority = { attribute_name: "priority", old_value: "0", new_value: "2" };
    if (random.chance(0.3)) return issue(at, job);
    if (random.chance(0.15)) return event(at, "job_kill", job);
    if (random.chance(0.15)) return event(at, "job_modify", job, priority);
    return said(at, job, random.pick(statuses));
  };
  const some = (): Fields[] => Array.from({ length: random.int(3, 14) }, drawn);
  const prune = (): Step => {
    const hour = random.pick(["", "T12:00:00Z"]);
    return ["prune", `${random.pick(days)}${hour}`, ...random.pick([[], ["--source", "a"]])];
  };
  const start: Step[] = [
    ["a", some()],
    ["b", some()],
  ];
  const rest = Array.from({ length: fewOrAll(4, 7) }, (): Step =>
    random.chance(0.45) ? prune() : [random.pick(["a", "b"]), some()],
  );
  return [...start, ...rest, ["a", some()]];
}

const seeds = fewOrAll(
  [1],
  Array.from({ length: 20 }, (_, i) => i + 1),
);

describe("jobs whose parts come before and after prunes", () => {
  it.each(seeds)("are in the lake as in that of a twin, seed %i", async (seed) => {
    await played(drawnSteps(seed));
  });
});
