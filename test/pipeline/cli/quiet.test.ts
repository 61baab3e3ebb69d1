import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "../../support/command.ts";
import { homeWithWarehouse, type TestHome } from "../../support/home.ts";

const schedule = { jobs: { nightly: { cron: "@daily", ingest: {} } } };

let home: TestHome;
let config: string;
beforeAll(async () => {
  home = await homeWithWarehouse();
  const lake = { location: join(home.folder, "lake") };
  config = home.write("auditlake.json", JSON.stringify({ lake, schedule }));
  const events = [1, 2].map((user_id) => ({ time: 1_767_225_600, event_name: "sign_in", user_id }));
  expect((await home.load(events)).code).toBe(0);
});
afterAll(() => home[Symbol.dispose]());

// Commands that print their outcome on standard error.
const verbs = [
  ["users"],
  ["users", "--limit", "1", "--format", "ndjson"],
  ["sql", "select 1 as a"],
  ["report", "run", "events_by_day", "--since", "2026-01-01", "--format", "csv"],
  ["publish"],
  ["lake", "status"],
];

test.each(verbs.map((argv) => [argv.join(" "), argv] as const))(
  "%s --quiet prints the same data without notes",
  async (_, argv) => {
    const loud = await home.run(["--config", config, ...argv]);
    expect([loud.code, loud.err]).toEqual([0, expect.stringMatching(/./)]);
    expect(await home.run(["--config", config, "--quiet", ...argv])).toEqual({ ...loud, err: "" });
  },
);

test.each([["activate list"], ["schedule list"], ["report list"], ["tables denials"]])(
  "%s names the columns that a narrow terminal omits, unless --quiet",
  async (words) => {
    const list = (...flags: string[]) =>
      run(["--home", home.home, "--config", config, ...flags, ...words.split(" ")], {
        isTTY: true,
        columns: 30,
      });
    const loud = await list();
    expect(loud).toMatchObject({
      code: 0,
      err: expect.stringMatching(/^… (?:.* not shown: |shown as lines)/m),
    });
    expect(await list("--quiet")).toEqual({ ...loud, err: "" });
  },
);

test("schedule run prints its number of jobs and what ends it, unless --quiet", async () => {
  const start = (...flags: string[]) =>
    home.run(["--config", config, ...flags, "schedule", "run"], { signal: AbortSignal.abort() });
  expect(await start()).toMatchObject({ err: "1 jobs; Ctrl-C ends the schedule\n" });
  expect(await start("--quiet")).toMatchObject({ err: "" });
});
