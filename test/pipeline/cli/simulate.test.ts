import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { Command } from "commander";
import { expect, test } from "vitest";
import { allFaults, faultNames } from "../../../fixtures/faults.ts";
import type { Incident } from "../../../fixtures/incidents/incident.ts";
import { simulate } from "../../../pipeline/cli/simulate.ts";
import type { World } from "../../../pipeline/base/world.ts";

type Line = { readonly visible_at: string; readonly record: { readonly time: number } };

type Play = {
  readonly world: World;
  readonly stdout: PassThrough;
  readonly stderr: PassThrough;
  readonly stop: () => void;
};

function play(env: World["env"] = {}): Play {
  const controller = new AbortController();
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const now = (): number => Date.UTC(2026, 3, 20, 12);
  const world: World = {
    env,
    stdin: new PassThrough(),
    stdout,
    stderr,
    now,
    sleep: async () => {},
    random: () => 0.5,
    signal: controller.signal,
  };
  return { world, stdout, stderr, stop: () => controller.abort() };
}

function run(world: World, argv: readonly string[]): Promise<unknown> {
  const program = new Command().exitOverride();
  simulate(program, world);
  return program.parseAsync(["simulate", ...argv], { from: "user" });
}

const firstChunk = async (stream: PassThrough): Promise<string> =>
  new Promise((resolve) => stream.once("data", (data: Buffer) => resolve(data.toString())));

test("simulate prints lines to paste, serves until the signal, and writes the truth file", async () => {
  const folder = await mkdtemp(join(tmpdir(), "simulate-"));
  const { world, stdout, stop } = play();
  const truth = join(folder, "truth.json");
  const ended = run(world, [
    "--days",
    "3",
    "--events-per-day",
    "300",
    "--answer",
    "array",
    "--truth",
    truth,
  ]);
  const [, url, key] =
    /^export AUDITLAKE_BASE_URL=(\S+) AUDITLAKE_API_KEY=(\S+)\n$/.exec(await firstChunk(stdout)) ??
    [];
  const response = await fetch(`${url}/v4/audits?per_page=5`, {
    headers: { Authorization: `SVC1 ${key}` },
  });
  expect(await response.json()).toHaveLength(5);
  const incidents = JSON.parse(await readFile(truth, "utf8")) as Incident[];
  expect(incidents).toHaveLength(4);
  expect(incidents.every((i) => i.to * 1000 <= world.now())).toBe(true);
  stop();
  await ended;
  await expect(fetch(`${url}/v4/audits`)).rejects.toThrow();
  await rm(folder, { recursive: true });
});

test("simulate injects faults by seed, and writes the complete log with the moments it becomes visible", async () => {
  const folder = await mkdtemp(join(tmpdir(), "simulate-"));
  const { world, stdout, stderr, stop } = play({ AUDITLAKE_API_KEY: "k" });
  const log = join(folder, "log.ndjson");
  const faults = ["--fault", "late, html", "--fault", "html", "--fault-rate", "1", "--log", log];
  const ended = run(world, ["--days", "2", "--events-per-day", "300", ...faults]);
  const url = (await firstChunk(stdout)).trim().split("=")[1]!;
  expect(String(stderr.read())).toContain("faults late,html at rate 1.");
  const answer = await fetch(`${url}/v4/audits`, { headers: { Authorization: "SVC1 k" } });
  expect(await answer.text()).toContain("<!doctype html>");
  const lines = (await readFile(log, "utf8")).trimEnd().split("\n");
  const events = lines.map((line) => JSON.parse(line) as Line);
  expect(events.length).toBeGreaterThan(32 * 180);
  const lags = events.map((event) => Date.parse(event.visible_at) / 1000 - event.record.time);
  expect(lags.every((lag) => lag >= 60 && lag <= 20 * 3600)).toBe(true);
  stop();
  await ended;
  await rm(folder, { recursive: true });
});

test("help describes every fault in a sentence, within 80 columns", () => {
  const program = new Command();
  simulate(program, play().world);
  let help = "";
  const command = program.commands[0]!;
  command.configureOutput({ writeOut: (text) => (help += text), getOutHelpWidth: () => 80 });
  command.outputHelp();
  for (const { name, meaning } of allFaults)
    expect(help).toContain(`  ${name.padEnd(14)} ${meaning}\n`);
  expect(help.split("\n").filter((line) => line.length > 80)).toEqual([]);
});

test("a key from the environment is required but never printed", async () => {
  const { world, stdout, stderr, stop } = play({ AUDITLAKE_API_KEY: "s3cret" });
  const ended = run(world, ["--days", "2"]);
  const line = await firstChunk(stdout);
  expect(line).toMatch(/^export AUDITLAKE_BASE_URL=http:\/\/127\.0\.0\.1:\d+\n$/);
  expect(String(stderr.read())).toContain("seed 1");
  const url = line.trim().split("=")[1]!;
  const status = async (key: string): Promise<number> =>
    (await fetch(`${url}/v3/user/list/`, { headers: { Authorization: `SVC1 ${key}` } })).status;
  expect([await status("s3cret"), await status("other")]).toEqual([200, 401]);
  stop();
  await ended;
});

test("access control is simulated with the company of the log, and --key-of prints a user's key", async () => {
  const env = { AUDITLAKE_API_KEY: "s3cret" };
  const { world, stdout, stop } = play(env);
  const ended = run(world, ["--days", "2", "--events-per-day", "300"]);
  const url = (await firstChunk(stdout)).trim().split("=")[1]!;
  const policies = async (key: string): Promise<Response> =>
    fetch(`${url}/v4/access_control/policies`, { headers: { Authorization: `SVC1 ${key}` } });
  const listed = (await (await policies("s3cret")).json()) as { name: string }[];
  expect(listed.map((policy) => policy.name)).toEqual(
    expect.arrayContaining(["Campaign team", "Marketing"]),
  );
  const other = play(env);
  await run(other.world, ["--key-of", "SVC-reporting@example.com"]);
  const [, key] = /^export AUDITLAKE_API_KEY=(\S+)\n$/.exec(String(other.stdout.read())) ?? [];
  expect((await policies(key!)).status).toBe(403);
  stop();
  await ended;
});

test("--key-of needs the service's key and a user of the company", async () => {
  await expect(run(play().world, ["--key-of", "x@example.com"])).rejects.toThrow(
    "--key-of: set AUDITLAKE_API_KEY to the key of the running service",
  );
  const { world } = play({ AUDITLAKE_API_KEY: "s3cret" });
  await expect(run(world, ["--key-of", "x@example.com"])).rejects.toThrow(
    '--key-of: no user in the company of seed 1 has the e-mail "x@example.com"; there are, for example, svc-',
  );
});

test.each([
  ["none", faultNames.filter((name) => name !== "short-page" && name !== "repeat-cursor")],
  ["page", faultNames],
])("with paging %s all faults are those that can occur", async (paging, names) => {
  const { world, stdout, stderr, stop } = play({ AUDITLAKE_API_KEY: "k" });
  const ended = run(world, ["--days", "2", "--paging", paging, "--fault", "all"]);
  await firstChunk(stdout);
  expect(String(stderr.read())).toContain(`faults ${names.join(",")} at rate 0.2.`);
  stop();
  await ended;
});

test("invalid options of simulate are refused in one line", async () => {
  await expect(run(play().world, ["--paging", "cursor", "--answer", "csv"])).rejects.toThrow(
    "--paging cursor needs --answer envelope",
  );
  for (const name of ["short-page", "repeat-cursor"])
    await expect(
      run(play().world, ["--paging", "none", "--fault", `late,${name}`]),
    ).rejects.toThrow(`--fault ${name} has no effect with --paging none`);
  await expect(run(play().world, ["--seed", "soon"])).rejects.toThrow(
    '--seed: expected a whole number from 0 to 4294967296, got "soon"',
  );
  await expect(run(play().world, ["--fault", "late,early"])).rejects.toThrow(
    `--fault: unknown fault "early"; expected all, or some of ${faultNames.join(",")}`,
  );
  for (const rate of ["2", "-1", "x", ""])
    await expect(run(play().world, ["--fault", "all", "--fault-rate", rate])).rejects.toThrow(
      `--fault-rate: expected a number from 0 to 1, got ${JSON.stringify(rate)}`,
    );
  await expect(run(play().world, ["--fault-rate", "0.5"])).rejects.toThrow("needs --fault");
  await expect(run(play().world, ["--log", "/nowhere/log"])).rejects.toThrow(
    "--log: the file cannot be written",
  );
});
