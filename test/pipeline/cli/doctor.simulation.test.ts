import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkNode } from "../../../pipeline/cli/doctor/machine.ts";
import { testKey } from "../../support/key.ts";
import { checks, newScene } from "./doctor/scene.ts";

const scene = newScene();

describe("doctor on a home in good order", () => {
  it("passes every check, also in JSON", async () => {
    const env = await scene.start();
    await scene.read(env);
    const outcome = await scene.auditlake(["doctor"], env);
    expect(outcome).toMatchObject({ code: 0, stderr: "" });
    const found = checks(outcome);
    expect(found).toMatchObject({
      node: expect.stringContaining(`ok Node ${process.versions.node}`),
      configuration: expect.stringMatching(/^ok /),
      home: `ok ${scene.home()}, mode 700`,
      disk: expect.stringContaining("free"),
      source: `ok default: ${scene.service().url}, the key from AUDITLAKE_API_KEY`,
      reachable: "ok default: GET /v4/audits answers and accepts the key",
      clock: expect.stringMatching(/^ok default: /),
      second_read: expect.stringMatching(
        /^ok default: windows of 1 d, .*: a window is up to 3 d 1 h old at its second read, .*set sources\.default\.retention$/,
      ),
      paging: expect.stringMatching(
        /^ok default: the configuration in force reads all records: 5 records in 5 pages, .* \(\d+ requests\)$/,
      ),
      users: "ok default: 1 user listed",
      lock: "ok no active run",
      published: expect.stringMatching(
        /^ok 7 events, schema \d{3}_\w+\.sql, catalog [0-9a-f]{12}$/,
      ),
      publishing: expect.stringMatching(/^ok the file system shares /),
      landing: expect.stringMatching(/^ok \d+ reads, all pages present$/),
      pending: "ok every read is loaded",
      evidence: expect.stringMatching(/^ok \d+ entries, head not signed$/),
      memory: expect.stringMatching(/^ok .* on this machine; .*, derived from it$/),
      reports: expect.stringMatching(/^ok \d+ reports compile on the published file$/),
    });
    expect(Object.keys(found)).toHaveLength(21);
    const printed = await scene.auditlake(["doctor", "--no-reports", "--json"], env);
    for (const { stdout, stderr } of [outcome, printed])
      expect(stdout + stderr).not.toContain(testKey);
    const json = JSON.parse(printed.stdout);
    expect(json.healthy).toBe(true);
    const named = json.checks.map(({ check }: { check: string }) => check);
    expect([...new Set(named), "reports"]).toEqual(Object.keys(found));
  });

  it("passes if the home is empty", async () => {
    const outcome = await scene.auditlake(["doctor", "--no-reports"]);
    expect(outcome.code).toBe(0);
    expect(checks(outcome)).toMatchObject({
      home: expect.stringContaining("the first run creates it"),
      source: expect.stringMatching(/^warn none is configured; set AUDITLAKE_BASE_URL/),
      published: "warn nothing published yet; run auditlake ingest or import",
      landing: "ok no pages stored yet",
    });
    expect(readdirSync(join(scene.home(), ".."))).toEqual([]);
  });

  it("passes if the home is empty with a user report", async () => {
    const queries = join(scene.home(), "..", "queries");
    mkdirSync(queries);
    const report = "-- title: Mine\n-- grain: one row\nselect count(*) as n from events\n";
    writeFileSync(join(queries, "mine.sql"), report);
    const { reports } = checks(await scene.auditlake(["doctor", "--queries", queries]));
    expect(reports).toMatch(/^ok \d+ reports compile on an empty database$/);
  });
});

it("fails with an older Node", () => {
  expect(checkNode("22.1.0")).toMatchObject({
    level: "fail",
    text: expect.stringContaining("expected 24 or later"),
  });
});
