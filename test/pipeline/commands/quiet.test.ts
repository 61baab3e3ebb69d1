import { afterAll, beforeAll, expect, test } from "vitest";
import { homeWithWarehouse, type TestHome } from "../../support/home.ts";

let home: TestHome;
beforeAll(async () => {
  home = await homeWithWarehouse();
  const events = [1, 2].map((user_id) => ({ time: 1_767_225_600, event_name: "sign_in", user_id }));
  expect((await home.load(events)).code).toBe(0);
});
afterAll(() => home[Symbol.dispose]());

// Verbs that say on standard error what came of them.
const verbs = [
  ["users"],
  ["users", "--limit", "1", "--format", "ndjson"],
  ["sql", "select 1 as a"],
  ["report", "run", "events_by_day", "--since", "2026-01-01", "--format", "csv"],
  ["publish"],
];

test.each(verbs.map((argv) => [argv.join(" "), argv] as const))(
  "%s --quiet gives the same and says nothing beside it",
  async (_, argv) => {
    const loud = await home.run(argv);
    expect([loud.code, loud.err]).toEqual([0, expect.stringMatching(/./)]);
    expect(await home.run(["--quiet", ...argv])).toEqual({ ...loud, err: "" });
  },
);
