import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { denials, type FindingsHome, newFindingsHome, reset } from "./scene.ts";

let home: FindingsHome;
beforeEach(async () => {
  home = await newFindingsHome();
});
afterEach(() => home[Symbol.dispose]());

const subjects = async (): Promise<string[]> => Object.keys(await home.ids()).toSorted();

const readAll = () =>
  home.rows("select finding_id, state, raised_at, hits from findings order by finding_id");

test("--no-findings leaves the evaluation for the next run", async () => {
  await home.import(denials(17), "--no-findings");
  expect(await subjects()).toEqual([]);
  await home.import([reset]);
  expect(await subjects()).toEqual(["eve@example.com", "user 17"]);
});

test("findings evaluate evaluates what a run skipped, for all or for some detections", async () => {
  await home.import([...denials(17), reset], "--no-findings");
  expect(await home.findings(["evaluate", "owner_password_reset"])).toMatchObject({ code: 0 });
  expect(await subjects()).toEqual(["eve@example.com"]);
  const { err } = await home.findings(["evaluate"]);
  expect(err).toMatch(/^1 new finding: 1 medium; auditlake .*findings lists them\n$/);
  expect(await subjects()).toEqual(["eve@example.com", "user 17"]);
});

test("rebuild retains when findings were raised, and decisions", async () => {
  await home.import([...denials(17), reset]);
  await home.findings(["acknowledge", (await home.ids())["user 17"]!]);
  const before = await readAll();
  const later = { now: () => Date.UTC(2026, 3, 1) };
  expect(await home.run(["rebuild"], later)).toMatchObject({ code: 0 });
  expect(await readAll()).toEqual(before);
});

test("prune retains findings", async () => {
  await home.import([...denials(17), reset]);
  const before = await readAll();
  const later = { now: () => Date.UTC(2028, 0, 1) };
  const { code, err } = await home.run(
    ["prune", "--events", "--before", "2027-01-01", "--yes"],
    later,
  );
  expect(code, err).toBe(0);
  expect(await home.count("select count(*) from events")).toBe(0);
  expect(await readAll()).toEqual(before);
  await home.findings(["evaluate"], later);
  expect(await readAll()).toEqual(before);
});

test("import --undo withdraws the findings of an import, and an import brings them back", async () => {
  await home.import([reset]);
  const path = await home.import(denials(17));
  const reads = await home.rows(
    "select read_id from window_reads where inserted = 25 order by read_id",
  );
  expect(reads, readdirSync(join(home.home, "landing")).join()).toHaveLength(1);
  const undone = await home.run(["import", "--undo", String(reads[0]!["read_id"])]);
  expect(undone.code, undone.err).toBe(0);
  expect(await subjects()).toEqual(["eve@example.com"]);
  const { out } = await home.findings(["--state", "withdrawn", "--format", "csv"]);
  expect(out).toContain("user 17");
  const again = await home.run(["import", path]);
  expect(again.code, again.err).toBe(0);
  expect(await subjects()).toEqual(["eve@example.com", "user 17"]);
});

test("findings evaluate NAME fails where that detection fails, and evaluate alone warns", async () => {
  using own = await newFindingsHome(["owner_password_reset"], { queries: "rules" });
  const header = [
    "title: Broken",
    "grain: one row per event",
    "param: since timestamp = 7d",
    "param: until timestamp = now",
    "detection: low",
    "key: source",
    "subject: source source",
    "at: event_time",
    "message: {source} had events",
  ];
  const select =
    "select source, event_time, cast(event_name as integer) as n from events\n" +
    "where event_time >= cast($since as timestamp) and event_time < cast($until as timestamp)";
  own.write("rules/broken.sql", `${header.map((line) => `-- ${line}\n`).join("")}${select}\n`);
  await own.import([reset], "--no-findings");
  const named = await own.findings(["evaluate", "broken"]);
  expect(named.err).toContain("broken");
  expect(named.code).toBe(1);
  expect(await own.findings(["evaluate", "owner_password_reset"])).toMatchObject({ code: 0 });
  expect((await own.findings(["evaluate"])).code).toBe(0);
});
