import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { changePublished } from "../../support/change-published.ts";
import { checks, newScene } from "../../pipeline/cli/doctor/scene.ts";

const scene = newScene();

describe("doctor on a damaged home", () => {
  it("exits with 2 for a typo in the configuration", async () => {
    const config = join(scene.home(), "..", "auditlake.json");
    writeFileSync(config, JSON.stringify({ sourcse: {} }));
    const outcome = await scene.auditlake(["--config", config, "doctor", "--no-reports"]);
    expect(outcome.code).toBe(2);
    expect(outcome.stdout).toMatch(
      /^ok +node.*\nfail +configuration +configuration .*sourcse.*\n$/,
    );
  });

  it("reports a home that others may write to, or read", async () => {
    mkdirSync(scene.home(), { mode: 0o700 });
    chmodSync(scene.home(), 0o770);
    const open = await scene.auditlake(["doctor", "--no-reports"]);
    expect([open.code, checks(open)["home"]]).toEqual([
      1,
      `fail ${scene.home()} has mode 770, expected 700: others may write to it; run chmod 700 on it`,
    ]);
    chmodSync(scene.home(), 0o750);
    expect(checks(await scene.auditlake(["doctor", "--no-reports"]))["home"]).toMatch(
      /^warn .*others may read it/,
    );
  });

  it("reports missing pages, reads that are not loaded, and a leftover lock", async () => {
    const env = await scene.start();
    await scene.read(env);
    rmSync(join(scene.home(), "landing", "pages"), { recursive: true });
    rmSync(join(scene.home(), "audit.duckdb"));
    const killed = {
      pid: 2 ** 22 + 1,
      host: hostname(),
      started: null,
      command: "ingest",
      since: "",
    };
    writeFileSync(join(scene.home(), "run.lock"), JSON.stringify(killed));
    const outcome = await scene.auditlake(["doctor", "--no-reports"]);
    expect(outcome.code).toBe(1);
    expect(checks(outcome)).toMatchObject({
      landing: expect.stringMatching(
        /^fail \d pages of \d reads missing, for example [0-9a-f]{64};/,
      ),
      pending: expect.stringMatching(
        /^warn \d reads stored but not in the published file; run auditlake ingest/,
      ),
      lock: expect.stringMatching(/^warn a killed run left a stale lock/),
    });
    writeFileSync(join(scene.home(), "landing", "reads", "x.json"), "{");
    expect(checks(await scene.auditlake(["doctor", "--no-reports"]))["landing"]).toMatch(
      /^fail 1 manifest cannot be read, for example that of read x;/,
    );
  });

  it("reports a published file of another version, and a missing one", async () => {
    await scene.auditlake(["import", recordFile()]);
    await change("update catalog_versions set catalog_version = 'other'");
    const older = await scene.auditlake(["doctor", "--no-reports"]);
    expect(older.code).toBe(0);
    expect(checks(older)["published"]).toMatch(/^warn .* has catalog other, this auditlake/);
    await change("insert into schema_migrations values ('999_later.sql')");
    const newer = await scene.auditlake(["doctor", "--no-reports"]);
    expect([newer.code, checks(newer)["published"]]).toEqual([
      1,
      expect.stringMatching(/^fail .* has schema 999_later\.sql; install the newer auditlake$/),
    ]);
    chmodSync(join(scene.home(), "audit.duckdb"), 0o600);
    writeFileSync(join(scene.home(), "audit.duckdb"), "no database at all".repeat(1000));
    const damaged = await scene.auditlake(["doctor", "--no-reports"]);
    expect([damaged.code, checks(damaged)["published"]]).toEqual([
      1,
      expect.stringMatching(/^fail .*audit\.duckdb cannot be opened; run auditlake publish/),
    ]);
  });

  it("reports user reports that do not compile", async () => {
    const queries = join(scene.home(), "..", "queries");
    mkdirSync(queries);
    const head = "-- title: A?\n-- grain: b\n";
    writeFileSync(join(queries, "bad.sql"), `${head}select nope from events\n`);
    writeFileSync(join(queries, "own.sql"), `${head}-- param: who text\nselect $who as who;\n`);
    const typed = `${head}-- param: who text\nselect date_trunc('day', $who) as day\n`;
    writeFileSync(join(queries, "typed.sql"), typed);
    writeFileSync(join(queries, "write.sql"), `${head}drop table event_rows\n`);
    const outcome = await scene.auditlake(["doctor", "--queries", queries]);
    expect(outcome.code).toBe(1);
    const [bad, typing, write, rest] = checks(outcome)["reports"]!.split(" / ");
    expect(bad).toMatch(/^fail .*bad\.sql: Binder Error: .*"nope"/);
    expect(typing).toMatch(/^fail .*typed\.sql: Binder Error: .*date_trunc/);
    expect(write).toMatch(/^fail .*write\.sql: only SELECT is run .* found DROP/);
    expect(rest).toMatch(/^ok \d+ reports compile/);
    const missing = await scene.auditlake(["doctor", "--queries", join(queries, "none")]);
    expect(missing.code).toBe(2);
  });

  it("reports missed runs once the service has deleted their time", async () => {
    const env = await scene.start();
    const config = join(scene.home(), "..", "auditlake.json");
    writeFileSync(config, JSON.stringify({ sources: { prod: { retention: "1d" } } }));
    await scene.auditlake(["--config", config, "ingest"], env);
    const fresh = await scene.auditlake(["--config", config, "doctor", "--no-reports"], env);
    expect(checks(fresh)["retention"]).toMatch(
      /^ok prod: the last complete scheduled run ended at .*, the service retains 1 d$/,
    );
    await change("update ingest_runs set finished_at = finished_at - interval 2 day");
    await change(`update window_reads
      set read_at = read_at - interval 2 day, server_time = server_time - interval 2 day`);
    const late = await scene.auditlake(["--config", config, "doctor", "--no-reports"], env);
    expect(late.code).toBe(1);
    expect(checks(late)["retention"]).toMatch(
      /^fail prod: the last complete scheduled run was 2 d ago, .*: events from \S+ to \S+ may be lost; run auditlake/,
    );
  });
});

function recordFile(): string {
  const file = join(scene.home(), "..", "records.ndjson");
  writeFileSync(file, '{"time":1767225600,"event_name":"sign_in"}\n');
  return file;
}

const change = (sql: string): Promise<void> => changePublished(scene.home(), sql);
