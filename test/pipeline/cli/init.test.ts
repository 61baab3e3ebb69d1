import { once } from "node:events";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { configSchema } from "../../../schemas/config.ts";
import type { World } from "../../../pipeline/base/world.ts";
import { failureLine } from "../../support/failure.ts";
import { newHome, type TestHome } from "../../support/home.ts";
import type { Outcome } from "../../support/command.ts";
import { testKey } from "../../support/key.ts";
import { listNames, readAll } from "../core/source/discovery/found.ts";
import { nowMs, makePlan, type Plan } from "../core/source/discovery/plans.ts";
import { play, type Played } from "../core/source/discovery/service.ts";

const plan: Plan = makePlan(11, { style: "next_url", shape: "envelope", needsWindow: false });
let home: TestHome;
let service: Played;
beforeEach(async () => {
  home = newHome();
  service = await play(plan);
});
afterEach(async () => {
  home[Symbol.dispose]();
  await service[Symbol.asyncDispose]();
});

const file = (): string => join(home.folder, "auditlake.json");
const write = (): Record<string, unknown> => JSON.parse(readFileSync(file(), "utf8")) as never;

function init(flags: readonly string[], world: Partial<World> = {}): Promise<Outcome> {
  const env = { KEY: testKey };
  const argv = ["--home", home.home, "--config", file(), "init", ...flags];
  return home.run(argv, { env, now: () => nowMs, ...world });
}

function flagsBut(left: string, others: Readonly<Record<string, string>> = {}): string[] {
  const all: Record<string, string> = {
    "--name": "prod",
    "--base-url": service.url,
    "--key-env": "KEY",
    "--retention": "7d",
    "--runs-per-day": "1",
    ...others,
  };
  return Object.entries(all).flatMap(([flag, value]) => (flag === left ? [] : [flag, value]));
}

describe("a new source", () => {
  it("gets a configuration that reads its log completely, without the key", async () => {
    const outcome = await init(flagsBut(""));
    expect(outcome.code, outcome.err).toBe(0);
    const { sources, schedule } = configSchema.parse(write());
    expect(await readAll(service.url, sources["prod"]!.audits, plan)).toEqual(listNames(plan.rows));
    expect(schedule.jobs).toMatchObject({
      ingest: { cron: "15 2 * * *", timezone: "UTC", ingest: { source: "prod" } },
    });
    expect(write()).toMatchObject({ home: home.home, sources: { prod: { api_key_env: "KEY" } } });
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(outcome.out).toMatch(/^(\S+Z\t\S+Z\n){3}$/);
    expect(outcome.err).toMatch(/reads all records: \d+ records in \d+ pages, .*wrote .*next:/s);
    const pasted = `  auditlake --home ${home.home} --config ${file()} ingest --source prod --from 7d   # the key`;
    expect(outcome.err).toContain(pasted);
    const printed = outcome.out + outcome.err + readFileSync(file(), "utf8");
    expect(printed).not.toContain(testKey);
    expect(existsSync(home.home)).toBe(false);
  });

  it("is added to a configuration that is otherwise unchanged and never overwritten", async () => {
    const old = {
      memory_limit: "600MB",
      sources: { old: { base_url: "https://old.example", retention: "3d" } },
      schedule: {
        timezone: "Asia/Kolkata",
        jobs: { ingest: { cron: "@daily", ingest: { source: "old" } } },
      },
    };
    writeFileSync(file(), JSON.stringify(old));
    const outcome = await init(flagsBut(""));
    expect(outcome.code, outcome.err).toBe(0);
    expect(write()).toMatchObject(old);
    const { sources, schedule } = configSchema.parse(write());
    expect(Object.keys(sources)).toEqual(["old", "prod"]);
    expect(Object.keys(schedule.jobs)).toEqual(["ingest", "ingest-prod"]);
    const before = readFileSync(file(), "utf8");
    const again = failureLine(await init(flagsBut("")), 2, [testKey]);
    expect(again).toContain("source prod already exists in");
    expect(readFileSync(file(), "utf8")).toBe(before);
    for (const damaged of ["{", '{"sourcse":{}}', "[]"]) {
      writeFileSync(file(), damaged);
      failureLine(await init(flagsBut("")), 2, [testKey]);
      expect(readFileSync(file(), "utf8")).toBe(damaged);
    }
  });
});

it("causes a warning if the home has events of a source that the file does not name", async () => {
  const records = join(home.folder, "records.ndjson");
  writeFileSync(records, '{"id":"1","event_name":"user_login","time":"2026-03-01T00:00:00Z"}\n');
  expect((await home.run(["import", records])).code).toBe(0);
  const other = await init(flagsBut(""));
  expect(other.err).toContain("warning: the home has events of default, which the configuration");
  rmSync(file());
  const same = await init(flagsBut("", { "--name": "default" }));
  expect([same.code, same.err.includes("the home has events")]).toEqual([0, false]);
});

describe("init without a terminal", () => {
  it("lists all missing flags", async () => {
    const all = failureLine(await init(["--name", "prod"]), 2, [testKey]);
    for (const flag of ["--base-url", "--key-env or --key-file", "--retention", "--runs-per-day"])
      expect(all).toContain(flag);
    expect(all).not.toContain("--name");
    expect([existsSync(file()), service.requests()]).toEqual([false, 0]);
  });

  it.each(["--name", "--base-url", "--key-env", "--retention", "--runs-per-day"])(
    "%s is missing: exit code 2, one line that names it",
    async (flag) => {
      expect(failureLine(await init(flagsBut(flag)), 2, [testKey])).toContain(`${flag} `);
      expect([existsSync(file()), service.requests()]).toEqual([false, 0]);
    },
  );

  it.each([
    ["--name", "a/b"],
    ["--base-url", "ftp://x"],
    ["--base-url", "http://service.example"],
    ["--key-env", "no-name; or-the-key-itself"],
    ["--auth-scheme", "two words"],
    ["--retention", "long"],
    ["--window", "0h"],
    ["--runs-per-day", "7"],
    ["--schedule", "61 * * * *"],
    ["--key-file", "both"],
  ])("%s %s is refused", async (flag, value) => {
    const line = failureLine(await init(flagsBut("", { [flag]: value })), 2, [
      testKey,
      "or-the-key",
    ]);
    expect(line).toMatch(/expected|exclude/);
    expect(existsSync(file())).toBe(false);
  });
});

describe("init on a terminal", () => {
  function type(lines: readonly string[]): World["stdin"] {
    return Object.assign(Readable.from(lines.map((line) => `${line}\n`)), { isTTY: true });
  }

  it("asks every question, repeats it after an invalid answer, and takes the default for an empty one", async () => {
    const stdin = type([
      "a b",
      "prod",
      "no address",
      service.url,
      "KEY",
      "",
      "soon",
      "7d",
      "",
      "4",
    ]);
    const outcome = await init([], { stdin });
    expect(outcome.code, outcome.err).toBe(0);
    expect(configSchema.parse(write()).sources["prod"]).toMatchObject({
      base_url: service.url,
      auth_scheme: "SVC1",
      window: 86_400_000,
    });
    expect(outcome.err).toMatch(/expected a duration/);
  });

  it("writes nothing if the input ends", async () => {
    const outcome = await init([], { stdin: type(["prod"]) });
    failureLine(outcome, 2, [testKey]);
    expect(existsSync(file())).toBe(false);
  });

  it.each(["before a question", "while it waits"])("ends at Ctrl-C with 130, %s", async (when) => {
    const stop = new AbortController();
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    const stderr = new PassThrough();
    const outcome = init([], { stdin, stderr, signal: stop.signal });
    if (when === "while it waits") await once(stderr, "data");
    stop.abort();
    expect((await outcome).code).toBe(130);
    expect(existsSync(file())).toBe(false);
  });
});

describe("a fault that init finds", () => {
  it("is refused if events would be lost, and its proposal works", async () => {
    const short = { "--retention": "24h" };
    const line = failureLine(await init(flagsBut("", short)), 2, [testKey]);
    expect([existsSync(file()), service.requests()]).toEqual([false, 0]);
    const proposals = /; use (.*)$/.exec(line)![1]!.split(", or ");
    for (const proposal of proposals) {
      const words = proposal.split(" ");
      const left = words.includes("--runs-per-day") ? "--runs-per-day" : "";
      const outcome = await init([...flagsBut(left, short), ...words]);
      expect(outcome.code, outcome.err).toBe(0);
      rmSync(file());
    }
    const unknown = await init(flagsBut("", { "--retention": "unknown" }));
    expect(unknown.code).toBe(0);
    expect(unknown.err).toMatch(
      /is unknown, so auditlake cannot detect lost events\. As soon as you know it, set sources/,
    );
  });

  it("is reported if the paging is unknown: the file has none, exit code 6", async () => {
    await using silent = await play({ ...plan, rows: plan.rows.slice(0, 2) });
    const outcome = await init(flagsBut("", { "--base-url": silent.url }));
    expect(outcome.code).toBe(6);
    expect(outcome.err).toMatch(
      /^warning: the paging style of the service was not detected: .*docs\/paging\.md/m,
    );
    expect(JSON.stringify(write())).not.toContain("audits");
  });

  it("prevents the file if the service refuses the key, or is unreachable", async () => {
    await using refusing = await play(
      plan,
      () => {
        throw new Error("refused");
      },
      401,
    );
    failureLine(await init(flagsBut("", { "--base-url": refusing.url })), 4, [testKey]);
    failureLine(await init(flagsBut("", { "--base-url": "http://127.0.0.1:1" })), 1, [testKey]);
    failureLine(await init(flagsBut("", { "--key-env": "NONE" })), 2, [testKey]);
    expect(existsSync(file())).toBe(false);
  });
});
