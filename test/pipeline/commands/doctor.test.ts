import { DuckDBInstance } from "@duckdb/node-api";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { logged } from "../../../fixtures/record.ts";
import { type Service, type ServiceOptions, startService } from "../../../fixtures/service.ts";
import { nodeFinding } from "../../../pipeline/commands/doctor/machine.ts";
import { testKey } from "../../support/key.ts";
import { type Outcome, runCli } from "./run-cli.ts";

const apiKey = testKey;
const dayMs = 86_400_000;

let home: string;
let service: Service | undefined;

beforeEach(() => {
  home = join(mkdtempSync(join(tmpdir(), "auditlake-test-")), "home");
});
afterEach(async () => {
  await service?.close();
  service = undefined;
  rmSync(join(home, ".."), { recursive: true });
});

/** A service with one event a day for a week, and the environment that leads to it. */
async function start(options: Partial<ServiceOptions> = {}): Promise<Record<string, string>> {
  const startMs = Date.now() - 7 * dayMs;
  const records = Array.from({ length: 7 }, (_, i) =>
    logged({ time: Math.floor((startMs + i * dayMs) / 1000), event_name: "sign_in" }),
  );
  const users = [{ id: 1, email: "ann@example.com" }];
  service = await startService({ records, users, apiKey, now: Date.now, ...options });
  return { AUDITLAKE_BASE_URL: service.url, AUDITLAKE_API_KEY: apiKey };
}

function auditlake(argv: readonly string[], env: Record<string, string> = {}): Promise<Outcome> {
  return runCli(["--home", home, ...argv], { env });
}

/** Level and text of each check by its name; several of a name are joined. */
function checks({ stdout }: Outcome): Record<string, string> {
  const found: Record<string, string> = {};
  for (const line of stdout.trimEnd().split("\n")) {
    const [, level, check, text] = /^(ok|warn|fail) +(\w+) +(.+)$/.exec(line)!;
    found[check!] = `${found[check!] ? `${found[check!]} / ` : ""}${level} ${text}`;
  }
  return found;
}

describe("a home in good order", () => {
  it("passes every check, and says so to machines too", async () => {
    const env = await start();
    expect((await auditlake(["ingest", "--from", "8d"], env)).code).toBe(0);
    const outcome = await auditlake(["doctor"], env);
    expect(outcome).toMatchObject({ code: 0, stderr: "" });
    const found = checks(outcome);
    expect(found).toMatchObject({
      node: expect.stringContaining(`ok Node ${process.versions.node}`),
      configuration: expect.stringMatching(/^ok /),
      home: `ok ${home}, mode 700`,
      disk: expect.stringContaining("free"),
      source: `ok default: ${service!.url}, the key from AUDITLAKE_API_KEY`,
      reachable: "ok default: GET /v4/audits answers and takes the key",
      clock: expect.stringMatching(/^ok default: /),
      users: "ok default: 1 user listed",
      lock: "ok no run is at work",
      published: expect.stringMatching(
        /^ok 7 events, schema \d{3}_\w+\.sql, catalog [0-9a-f]{12}$/,
      ),
      landing: expect.stringMatching(/^ok \d+ reads, all pages there$/),
      pending: "ok every read is loaded",
      reports: expect.stringMatching(/^ok \d+ reports compile on the published file$/),
    });
    expect(Object.keys(found)).toHaveLength(15);
    const json = JSON.parse((await auditlake(["doctor", "--json"], env)).stdout);
    expect(json.healthy).toBe(true);
    expect(json.checks.map(({ check }: { check: string }) => check)).toEqual(Object.keys(found));
  });

  it("may also be empty", async () => {
    const outcome = await auditlake(["doctor"]);
    expect(outcome.code).toBe(0);
    expect(checks(outcome)).toMatchObject({
      home: expect.stringContaining("the first run makes it"),
      source: expect.stringMatching(/^warn none is configured; set AUDITLAKE_BASE_URL/),
      published: "warn nothing published yet; run auditlake ingest or import",
      landing: "ok nothing landed yet",
      reports: expect.stringMatching(/^ok \d+ reports compile on an empty database$/),
    });
    expect(readdirSync(join(home, ".."))).toEqual([]);
  });
});

describe("the service", () => {
  it("refuses the key: exit code 4, and the key is not shown", async () => {
    const env = await start();
    const outcome = await auditlake(["doctor"], { ...env, AUDITLAKE_API_KEY: "a-wrong-key-0815" });
    expect(outcome.code).toBe(4);
    expect(checks(outcome)["reachable"]).toMatch(/^fail .*401 to GET \/v4\/audits.*check the key/);
    const json = await auditlake(["doctor", "--json"], env);
    expect(outcome.stdout + outcome.stderr).not.toContain("0815");
    expect(json.stdout + json.stderr).not.toContain("4711");
  });

  it("is not there", async () => {
    const env = await start();
    await service!.close();
    const outcome = await auditlake(["doctor"], env);
    expect(outcome.code).toBe(1);
    expect(checks(outcome)["reachable"]).toMatch(/^fail .*nothing listens there/);
  });

  it("answers something else", async () => {
    const env = await start({
      fault: (_request, response) => {
        response.writeHead(200, { "Content-Type": "text/html" }).end("<html>Sign in</html>");
        return true;
      },
    });
    const outcome = await auditlake(["doctor"], env);
    expect(outcome.code).toBe(1);
    expect(checks(outcome)["reachable"]).toMatch(/^fail default: /);
  });

  it("has another clock, and no user list", async () => {
    const env = await start({
      now: () => Date.now() + 3_600_000,
      fault: (request, response) => {
        if (!request.url!.startsWith("/v3/")) return false;
        response.writeHead(404).end();
        return true;
      },
    });
    const outcome = await auditlake(["doctor"], env);
    expect(outcome.code).toBe(0);
    expect(checks(outcome)).toMatchObject({
      clock: expect.stringMatching(/^warn .*clock is (1 h|59 min \d+ s) ahead of this one; set/),
      users: expect.stringMatching(/^warn .*404/),
    });
  });

  it("has no address or no key in the configuration: exit code 2", async () => {
    const env = await start();
    const noKey = await auditlake(["doctor"], { AUDITLAKE_BASE_URL: env["AUDITLAKE_BASE_URL"]! });
    expect(noKey.code).toBe(2);
    expect(checks(noKey)["source"]).toMatch(/^fail default: no API key: .*AUDITLAKE_API_KEY/);
    const config = join(home, "..", "two.json");
    const [one, two] = [{ base_url: service!.url }, { api_key_env: "OTHER_KEY" }];
    writeFileSync(config, JSON.stringify({ sources: { one, two } }));
    const both = await auditlake(["--config", config, "doctor"], { AUDITLAKE_API_KEY: apiKey });
    expect(both.code).toBe(2);
    expect(checks(both)).toMatchObject({
      configuration: `ok ${config}`,
      source: expect.stringMatching(/^ok one: .* \/ fail two: source two has no address/),
      users: "ok one: 1 user listed",
    });
    const argv = ["--config", config, "--source", "one", "doctor"];
    expect((await auditlake(argv, { AUDITLAKE_API_KEY: apiKey })).code).toBe(0);
    const bad = await auditlake(["doctor"], { ...env, AUDITLAKE_BASE_URL: "localhost" });
    expect(bad.code).toBe(2);
    expect(checks(bad)["source"]).toMatch(/base_url is no web address; expected https/);
  });
});

describe("what is broken at home", () => {
  it("a configuration with a typo ends the examination with 2", async () => {
    const config = join(home, "..", "auditlake.json");
    writeFileSync(config, JSON.stringify({ sourcse: {} }));
    const outcome = await auditlake(["--config", config, "doctor"]);
    expect(outcome.code).toBe(2);
    expect(outcome.stdout).toMatch(
      /^ok +node.*\nfail +configuration +configuration .*sourcse.*\n$/,
    );
  });

  it("a home that others may write to, or read", async () => {
    mkdirSync(home, { mode: 0o700 });
    chmodSync(home, 0o770);
    const open = await auditlake(["doctor"]);
    expect([open.code, checks(open)["home"]]).toEqual([
      1,
      `fail ${home} has mode 770, expected 700: others may write to it; run chmod 700 on it`,
    ]);
    chmodSync(home, 0o750);
    expect(checks(await auditlake(["doctor"]))["home"]).toMatch(/^warn .*others may read it/);
  });

  it("missing pages, reads that are not loaded, a lock left behind", async () => {
    const env = await start();
    await auditlake(["ingest", "--from", "8d"], env);
    rmSync(join(home, "landing", "pages"), { recursive: true });
    rmSync(join(home, "audit.duckdb"));
    const killed = {
      pid: 2 ** 22 + 1,
      host: hostname(),
      started: null,
      command: "ingest",
      since: "",
    };
    writeFileSync(join(home, "run.lock"), JSON.stringify(killed));
    const outcome = await auditlake(["doctor"]);
    expect(outcome.code).toBe(1);
    expect(checks(outcome)).toMatchObject({
      landing: expect.stringMatching(
        /^fail \d pages of \d reads missing, for example [0-9a-f]{64};/,
      ),
      pending: expect.stringMatching(/^warn \d reads landed but not loaded; run auditlake ingest$/),
      lock: expect.stringMatching(/^warn a killed run left its lock behind/),
    });
    writeFileSync(join(home, "landing", "reads", "x.json"), "{");
    expect(checks(await auditlake(["doctor"]))["landing"]).toMatch(
      /^fail 1 manifest cannot be read, for example that of read x;/,
    );
  });

  it("a published file of another version, or none at all", async () => {
    await auditlake(["import", recordFile()]);
    await change("update catalog_versions set catalog_version = 'other'");
    const older = await auditlake(["doctor"]);
    expect(older.code).toBe(0);
    expect(checks(older)["published"]).toMatch(/^warn .* has catalog other, this auditlake/);
    await change("insert into schema_migrations values ('999_later.sql')");
    const newer = await auditlake(["doctor"]);
    expect([newer.code, checks(newer)["published"]]).toEqual([
      1,
      expect.stringMatching(/^fail .* has schema 999_later\.sql; install the newer auditlake$/),
    ]);
    chmodSync(join(home, "audit.duckdb"), 0o600);
    writeFileSync(join(home, "audit.duckdb"), "no database at all".repeat(1000));
    const damaged = await auditlake(["doctor"]);
    expect(damaged.code).toBe(1);
    expect(checks(damaged)).toMatchObject({
      published: expect.stringMatching(
        /^fail .*audit\.duckdb does not open; run auditlake publish/,
      ),
      reports: expect.stringContaining("compile on an empty database"),
    });
  });

  it("reports that do not compile", async () => {
    const queries = join(home, "..", "queries");
    mkdirSync(queries);
    const head = "-- title: A?\n-- grain: b\n";
    writeFileSync(join(queries, "bad.sql"), `${head}select nope from events\n`);
    writeFileSync(join(queries, "own.sql"), `${head}-- param: who text\nselect $who as who;\n`);
    const typed = `${head}-- param: who text\nselect date_trunc('day', $who) as day\n`;
    writeFileSync(join(queries, "typed.sql"), typed);
    writeFileSync(join(queries, "write.sql"), `${head}drop table event_rows\n`);
    const outcome = await auditlake(["doctor", "--queries", queries]);
    expect(outcome.code).toBe(1);
    const [bad, typing, write, rest] = checks(outcome)["reports"]!.split(" / ");
    expect(bad).toMatch(/^fail .*bad\.sql: Binder Error: .*"nope"/);
    expect(typing).toMatch(/^fail .*typed\.sql: Binder Error: .*date_trunc/);
    expect(write).toMatch(/^fail .*write\.sql: the statement is DROP; expected SELECT/);
    expect(rest).toMatch(/^ok \d+ reports compile/);
    const missing = await auditlake(["doctor", "--queries", join(queries, "none")]);
    expect(missing.code).toBe(2);
  });

  it("a night missed for longer than the service keeps its log", async () => {
    const env = await start();
    const config = join(home, "..", "auditlake.json");
    writeFileSync(config, JSON.stringify({ sources: { prod: { retention: "1d" } } }));
    await auditlake(["--config", config, "ingest"], env);
    const fresh = await auditlake(["--config", config, "doctor"], env);
    expect(checks(fresh)["retention"]).toMatch(
      /^ok prod: last read whole at .*, the service keeps 1 d$/,
    );
    await change("update ingest_runs set finished_at = finished_at - interval 2 day");
    await change("update window_reads set read_at = read_at - interval 2 day");
    const late = await auditlake(["--config", config, "doctor"], env);
    expect(late.code).toBe(1);
    expect(checks(late)["retention"]).toMatch(
      /^fail prod: the last successful ingest is 2 d old, .*: events from \S+ to \S+ may be lost for good; run auditlake/,
    );
  });
});

it("an older Node fails", () => {
  expect(nodeFinding("22.1.0")).toMatchObject({
    level: "fail",
    text: expect.stringContaining("expected 24 or later"),
  });
});

function recordFile(): string {
  const file = join(home, "..", "records.ndjson");
  writeFileSync(file, '{"time":1767225600,"event_name":"sign_in"}\n');
  return file;
}

async function change(sql: string): Promise<void> {
  const path = join(home, "audit.duckdb");
  chmodSync(path, 0o600);
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  await connection.run(sql);
  connection.closeSync();
  instance.closeSync();
  chmodSync(path, 0o440);
}
