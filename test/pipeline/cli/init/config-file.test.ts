import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  checkContent,
  readContent,
  withSource,
  writeContent,
} from "../../../../pipeline/cli/init.ts";
import { newHome, type TestHome } from "../../../support/home.ts";

let home: TestHome;
beforeEach(() => {
  home = newHome();
});
afterEach(() => home[Symbol.dispose]());

const added = {
  home: "/there",
  source: ["new", { base_url: "x" }],
  job: ["ingest", { cron: "@daily" }],
} as const;

it.each([
  [
    {},
    {
      home: "/there",
      sources: { new: added.source[1] },
      schedule: { jobs: { ingest: added.job[1] } },
    },
  ],
  [
    {
      home: "/here",
      threads: 2,
      sources: { old: {} },
      schedule: { timezone: "UTC", jobs: { ingest: 1 } },
    },
    {
      home: "/here",
      threads: 2,
      sources: { old: {}, new: added.source[1] },
      schedule: { timezone: "UTC", jobs: { ingest: 1, "ingest-new": added.job[1] } },
    },
  ],
  [
    { home: "/here", sources: null, schedule: { jobs: { ingest: 1, "ingest-new": 2 } } },
    {
      home: "/here",
      sources: { new: added.source[1] },
      schedule: { jobs: { ingest: 1, "ingest-new": 2, "ingest-2": added.job[1] } },
    },
  ],
])("a source and its job are added to %j, which is otherwise unchanged", (content, expected) => {
  expect(withSource(content, added, "/c.json")).toEqual(expected);
});

it("another name is chosen for a job if that of the source is too long, or used as well", () => {
  const long = "s".repeat(64);
  const source = [long, { base_url: "x" }] as const;
  const taken = { schedule: { jobs: { ingest: 1, "ingest-2": 2 } } };
  const { schedule } = withSource(taken, { ...added, source }, "/c.json");
  expect(schedule).toEqual({ jobs: { ingest: 1, "ingest-2": 2, "ingest-3": added.job[1] } });
});

it("a home that is not given is omitted, and a used name is refused", () => {
  expect(withSource({}, { ...added, home: undefined }, "/c.json")).not.toHaveProperty("home");
  expect(() => withSource({ sources: { new: {} } }, added, "/c.json")).toThrow(
    /^source new already exists in \/c\.json; choose another --name, or change it there$/,
  );
});

it("an existing file is read in any encoding, and a missing one is created", () => {
  const path = home.write("c.json", '\uFEFF{"threads": 2}');
  expect(readContent(path, "found")).toEqual({ threads: 2 });
  expect(readContent(join(home.folder, "none.json"), "found")).toEqual({
    $schema: expect.stringMatching(/^file:.*config\.schema\.json$/),
  });
  expect(() => readContent(home.write("bad.json", "{"), "named")).toThrow(
    /exists but is not JSON; correct it/,
  );
  expect(() => readContent(home.write("odd.json", '{"threads": "two"}'), "named")).toThrow(
    /^configuration .*odd\.json: threads: /,
  );
  expect(checkContent({ threads: 3 }, "c.json").threads).toBe(3);
});

it("a file is written completely, or the reason of the failure is printed", async () => {
  const path = join(home.folder, "new.json");
  await writeContent(path, { threads: 2 });
  expect(readFileSync(path, "utf8")).toBe('{\n  "threads": 2\n}\n');
  const below = join(path, "below.json");
  await expect(writeContent(below, {})).rejects.toMatchObject({ exitCode: 2 });
  expect(existsSync(below)).toBe(false);
});
