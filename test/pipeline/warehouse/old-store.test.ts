import { DuckDBInstance } from "@duckdb/node-api";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { homeAt } from "../../../pipeline/home.ts";
import { newHome, type TestHome } from "../../support/home.ts";

// A home of a version that told events apart by another rule: it is left as it is, and its landed pages make a new one.

const records = Array.from({ length: 20 }, (_, i) => ({
  time: 1767225600 + i,
  event_name: "job_kill",
  id: `e${i % 15}`,
  resource_id: String(i),
}));

// What a database of that version shows before anything else is looked at.
async function writeOldStore(path: string): Promise<void> {
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  await connection.run("create table schema_migrations (migration varchar not null)");
  await connection.run(
    "insert into schema_migrations values ('001_ledger.sql'), ('003_events.sql')",
  );
  await connection.run("create table window_reads (read_id varchar)");
  await connection.run("checkpoint");
  connection.closeSync();
  instance.closeSync();
}

// Manifests of that version did not keep how a read ended.
function makeOldManifests(landing: string): void {
  const folder = join(landing, "reads");
  for (const name of readdirSync(folder)) {
    const { ended: _, ...manifest } = JSON.parse(readFileSync(join(folder, name), "utf8")) as {
      ended?: unknown;
    };
    writeFileSync(join(folder, name), JSON.stringify({ ...manifest, version: 1 }));
  }
}

async function oldHome(): Promise<TestHome> {
  const home = newHome();
  await home.load(records);
  const { warehouse, published, landing } = homeAt(home.home);
  for (const path of [warehouse, published]) rmSync(path, { force: true });
  await writeOldStore(warehouse);
  cpSync(warehouse, published);
  makeOldManifests(landing);
  return home;
}

it("is refused in one line by every verb, harmed by none, and made anew from its landing", async () => {
  using home = await oldHome();
  const { warehouse, published } = homeAt(home.home);
  const before = [warehouse, published].map((path) => readFileSync(path));
  const file = home.write("more.ndjson", '{"time":1767225700,"event_name":"a"}\n');
  const verbs = [
    ["import", file],
    ["publish"],
    ["rebuild"],
    ["prune", "--before", "2026-01-01", "--yes"],
    ["sql", "select 1"],
    ["report", "run", "denials_by_day"],
    ["status"],
    ["users"],
    ["catalog", "coverage"],
  ];
  for (const argv of verbs) {
    const { code, err } = await home.run(argv);
    expect([argv, code]).toEqual([argv, 1]);
    expect(err).toMatch(/^error: the database was made by an earlier auditlake, .* rebuild$/m);
    expect(
      err
        .trim()
        .split("\n")
        .filter((line) => line.startsWith("error:")),
    ).toHaveLength(1);
  }
  expect([warehouse, published].map((path) => readFileSync(path))).toEqual(before);
  const copy = join(home.folder, "copy");
  mkdirSync(copy, { mode: 0o700 });
  cpSync(join(home.home, "landing"), join(copy, "landing"), { recursive: true });
  const made = await home.run(["--home", copy, "rebuild"]);
  expect([made.code, made.err]).toEqual([0, made.err]);
  expect(existsSync(join(copy, "audit.duckdb"))).toBe(true);
  const { out } = await home.run([
    "--home",
    copy,
    "sql",
    "--format",
    "csv",
    "select count(*) as n from events",
  ]);
  expect(out).toBe("n\r\n20\r\n");
});
