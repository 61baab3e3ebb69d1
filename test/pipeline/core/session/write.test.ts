import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startService } from "../../../../fixtures/service.ts";
import { homeWithWarehouse, type TestHome } from "../../../support/home.ts";
import { testKey } from "../../../support/key.ts";

// A file of another program in the way of the readers' file: no run can put its copy in place.
let home: TestHome;
beforeAll(async () => {
  home = await homeWithWarehouse();
  mkdirSync(join(home.home, "audit.duckdb.wal", "in-the-way"), { recursive: true });
});
afterAll(() => home[Symbol.dispose]());

test("a load that could not be published is partial", async () => {
  const outcome = await home.load([{ time: 1767225600, event_name: "x" }]);
  expect(outcome.err).toContain("1 new");
  expect(outcome).toMatchObject({ code: 6, err: expect.stringContaining("cannot publish") });
});

test("a rebuild that could not be published is partial", async () => {
  const { code, err } = await home.run(["rebuild"]);
  expect([code, err]).toEqual([6, expect.stringMatching(/^rebuilt .*cannot publish/ms)]);
});

test("a load that failed, and a publish that failed, are failures", async () => {
  const none = home.write("none.json", "<html>");
  for (const argv of [["import", none], ["publish"]])
    expect(await home.run(argv)).toMatchObject({
      code: 1,
      err: expect.stringContaining("cannot publish"),
    });
});

test("a run whose sources all refused the key is a failure if it cannot publish either", async () => {
  const service = await startService({ records: [], users: [], apiKey: testKey, now: Date.now });
  onTestFinished(() => service.close());
  const names = ["east", "west"];
  const sources = Object.fromEntries(names.map((name) => [name, { base_url: service.url }]));
  const config = home.write("c.json", JSON.stringify({ sources }));
  const env = { AUDITLAKE_API_KEY: "another" };
  const { code, err } = await home.run(["--config", config, "ingest"], { env });
  expect([code, err]).toEqual([1, expect.stringContaining("cannot publish")]);
});
