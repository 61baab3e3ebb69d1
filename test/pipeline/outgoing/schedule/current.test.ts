import { type Line, formatLine } from "../../../../pipeline/base/notice/printer.ts";
import { expect, test } from "vitest";
import { newCurrent } from "../../../../pipeline/outgoing/schedule/run-jobs.ts";
import { openMemory } from "../../../../pipeline/outgoing/schedule/jobs.ts";
import { runSchedule } from "../../../../pipeline/outgoing/schedule/run-loop.ts";
import { readSettings } from "../../../../pipeline/base/home/settings.ts";
import { newHome } from "../../../support/home.ts";
import { testWorld } from "../../../support/world.ts";

test("a changed configuration is applied, and an unreadable one is reported once", () => {
  using home = newHome();
  const write = (jobs: object | string): string =>
    home.write(
      "auditlake.json",
      typeof jobs === "string" ? jobs : JSON.stringify({ schedule: { jobs } }),
    );
  const job = { cron: "@daily", ingest: {} };
  const config = write({ first: job });
  const flags = { config, home: home.home, logLevel: "error", progress: "none" } as const;
  const world = testWorld();
  const printed: string[] = [];
  const settings = readSettings(flags, world);
  const print = (line: Line): void => void printed.push(formatLine(line));
  const notifyBy = () => () => Promise.resolve();
  const memory = openMemory(settings.home);
  const now = newCurrent(settings, { flags, memory, notifyBy, print, world });
  const names = () => now().jobs.map(({ name }) => name);
  expect(names()).toEqual(["first"]);
  write({ first: job, second: { ...job, cron: "15 2 * * *" } });
  expect(names()).toEqual(["first", "second"]);
  write('{"schedule": {');
  expect([names(), names()]).toEqual([
    ["first", "second"],
    ["first", "second"],
  ]);
  write({ third: job });
  expect(names()).toEqual(["third"]);
  expect(printed).toEqual([
    "the configuration changed: now 2 jobs",
    expect.stringMatching(/^warning: the changed configuration is not applied: .*not valid JSON/),
    "the configuration changed: now 1 jobs",
  ]);
});

test("a job that was added while the schedule ran is run at its next scheduled time", async () => {
  using home = newHome();
  const jobs = (...names: string[]) =>
    Object.fromEntries(names.map((name) => [name, { cron: "0 * * * *", activate: name }]));
  const write = (...names: string[]) =>
    home.write("auditlake.json", JSON.stringify({ schedule: { jobs: jobs(...names) } }));
  const config = write("a");
  const flags = { config, home: home.home, logLevel: "error", progress: "none" } as const;
  const stop = new AbortController();
  let nowMs = Date.parse("2026-11-21T10:30:00Z");
  const sleep = (ms: number): Promise<void> => {
    nowMs += ms;
    if (nowMs > Date.parse("2026-11-21T10:40:00Z")) write("a", "b");
    if (nowMs > Date.parse("2026-11-21T11:10:00Z")) stop.abort();
    return Promise.resolve();
  };
  const world = testWorld({ now: () => nowMs, sleep, signal: stop.signal });
  const settings = readSettings(flags, world);
  const started: string[] = [];
  const notifyBy = () => () => Promise.resolve();
  const memory = openMemory(settings.home);
  const current = newCurrent(settings, {
    flags,
    memory,
    notifyBy,
    print: () => undefined,
    world,
  });
  const start = ({ name }: { readonly name: string }) => {
    started.push(name);
    return Promise.resolve({ code: 0 });
  };
  await runSchedule(() => {
    const { jobs: known, runner } = current();
    return {
      jobs: known,
      runner: { ...runner, start, print: () => undefined, mention: () => undefined },
    };
  }, world);
  expect(started.toSorted()).toEqual(["a", "b"]);
});
