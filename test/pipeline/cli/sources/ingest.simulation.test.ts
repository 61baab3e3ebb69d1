import { readResult, resultVariable } from "../../../../pipeline/base/notice/result.ts";
import { existsSync, rmSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startService, type Service } from "../../../../fixtures/service.ts";
import { homeWithWarehouse, type TestHome } from "../../../support/home.ts";
import type { Outcome } from "../../../support/command.ts";
import { dayMs, eventAt, hourMs } from "../../../support/remote.ts";

// Three services, each with a key of its own, and one home.

const nowMs = Date.UTC(2026, 2, 1);
const names = ["east", "north", "west"];

let home: TestHome;
let services: Service[];
beforeEach(async () => {
  home = await homeWithWarehouse();
  services = await Promise.all(
    names.map((name, i) =>
      startService({
        records: Array.from({ length: 3 + i }, (_, k) => eventAt(nowMs - dayMs - k * hourMs)),
        users: [{ id: 7, email: `jo@${name}.example.com` }],
        apiKey: `key-of-${name}`,
        now: () => nowMs,
      }),
    ),
  );
});
afterEach(async () => {
  await Promise.all(services.map((service) => service.close()));
  home[Symbol.dispose]();
});

const keys = Object.fromEntries(names.map((name) => [`KEY_${name}`, `key-of-${name}`]));

async function ingest(argv: string[] = [], env: Record<string, string> = keys): Promise<Outcome> {
  const sources = Object.fromEntries(
    names.map((name, i) => [name, { base_url: services[i]!.url, api_key_env: `KEY_${name}` }]),
  );
  const config = home.write("auditlake.json", JSON.stringify({ sources }));
  return home.run(["--config", config, "ingest", ...argv], { env, now: () => nowMs });
}

const load = (): Promise<unknown> =>
  home.rows("select source, count(*)::integer as n from events group by source order by source");

test("a run without --source reads all sources, and prints a section for each", async () => {
  const { code, out, err } = await ingest();
  expect([code, out]).toEqual([0, ""]);
  expect(await load()).toEqual([
    { source: "east", n: 3 },
    { source: "north", n: 4 },
    { source: "west", n: 5 },
  ]);
  expect(err.split("\n").filter((line) => line.startsWith("source "))).toEqual(
    names.map((name) => `source ${name}:`),
  );
  expect(err).toMatch(/source east:\nreading .*\n3 events .*\nsource north:/s);
  expect(await home.count("select count(*) from ingest_runs")).toBe(3);
});

test("a run with --source, or AUDITLAKE_SOURCE, reads only that source", async () => {
  const { err } = await ingest(["--source", "north"]);
  expect(err).not.toContain("source north:");
  await ingest([], { ...keys, AUDITLAKE_SOURCE: "west" });
  expect(await load()).toEqual([
    { source: "north", n: 4 },
    { source: "west", n: 5 },
  ]);
});

test.each([
  [
    "whose key is refused",
    { ...keys, KEY_north: "another" },
    /source north:\n.*\nerror: .*(401|key)/s,
  ],
  ["without a key", { KEY_east: keys["KEY_east"]!, KEY_west: keys["KEY_west"]! }, /KEY_north/],
])("one %s blocks no other source; exit code 6", async (_what, env, message) => {
  const resultFile = home.write("result.json", "");
  const { code, err } = await ingest([], { ...env, [resultVariable]: resultFile });
  expect(code, err).toBe(6);
  expect(err).toMatch(message);
  const errors = readResult(resultFile)?.notices.filter(({ level }) => level === "error");
  expect(errors).toHaveLength(1);
  expect(await load()).toEqual([
    { source: "east", n: 3 },
    { source: "west", n: 5 },
  ]);
});

test("one unreachable source blocks no other source; exit code 6", async () => {
  await services[0]!.close();
  const { code, err } = await ingest();
  expect(code, err).toBe(6);
  expect(await load()).toEqual([
    { source: "north", n: 4 },
    { source: "west", n: 5 },
  ]);
  expect(err).toMatch(/source east:\n.*error: .*source north:/s);
});

test("the same failure of all sources is the exit code of the run", async () => {
  const wrong = Object.fromEntries(names.map((name) => [`KEY_${name}`, "another"]));
  expect((await ingest([], wrong)).code).toBe(4);
  expect((await ingest([], {})).code).toBe(2);
  expect((await ingest([], { ...wrong, KEY_east: "" })).code).toBe(1);
  expect(await home.count("select count(*) from events")).toBe(0);
});

test("no home is created if no source can be read", async () => {
  rmSync(home.home, { recursive: true });
  expect((await ingest([], {})).code).toBe(2);
  expect(existsSync(home.home)).toBe(false);
});

test("--quiet prints only a source that fails", async () => {
  expect(await ingest(["--quiet"])).toMatchObject({ code: 0, out: "", err: "" });
  const { err } = await ingest(["--quiet"], { ...keys, KEY_west: "another" });
  expect(err).toMatch(/^source west:\n/);
});

test("a dry run names the source of each window", async () => {
  const { out } = await ingest(["--dry-run"]);
  const found = out
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t")[2]);
  expect(found).toEqual(names.flatMap((name) => [name, name]));
});

test("a base address in the environment, which would apply to all sources, is refused before any request", async () => {
  const { code, err } = await ingest([], { ...keys, AUDITLAKE_BASE_URL: services[0]!.url });
  expect(code).toBe(2);
  expect(err).toMatch(/AUDITLAKE_BASE_URL is set/);
  expect(services.map((service) => service.requests.total)).toEqual([0, 0, 0]);
});

test("an interrupt ends the run after the current source", async () => {
  const controller = new AbortController();
  await services[1]!.close();
  services[1] = await startService({
    records: [],
    users: [],
    apiKey: "key-of-north",
    now: () => nowMs,
    fault: () => {
      controller.abort();
      return false;
    },
  });
  const sources = Object.fromEntries(
    names.map((name, i) => [name, { base_url: services[i]!.url, api_key_env: `KEY_${name}` }]),
  );
  const config = home.write("auditlake.json", JSON.stringify({ sources }));
  const { code, err } = await home.run(["--config", config, "ingest"], {
    env: keys,
    now: () => nowMs,
    signal: controller.signal,
  });
  expect(code, err).toBe(130);
  expect(await load()).toEqual([{ source: "east", n: 3 }]);
  expect(services[2]!.requests.total).toBe(0);
});
