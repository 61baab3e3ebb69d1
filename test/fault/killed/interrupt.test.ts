import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { countText } from "../../../pipeline/base/terminal/amounts.ts";
import { childEnv } from "../../support/child-env.ts";
import { programPath } from "../../support/killed.ts";
import { watchOutput } from "../../support/output.ts";
import { dayMs, eventAt, newRemote, type Remote } from "../../support/remote.ts";

// Real processes and real signals: what Ctrl-C and SIGTERM leave behind.

const today = Math.floor(Date.now() / dayMs) * dayMs;
const log = Array.from({ length: 8 }, (_, day) =>
  Array.from({ length: 5 }, (_unused, i) => eventAt(today - (8 - day) * dayMs + i * 60_000)),
).flat();

let remote: Remote;
let children: Started[] = [];
beforeEach(async () => {
  remote = await newRemote(Date.now());
  remote.clock.nowMs = Date.now();
  await remote.serve(log);
});
afterEach(async () => {
  for (const { child } of children) child.kill("SIGKILL");
  children = [];
  await remote[Symbol.asyncDispose]();
});

type Ended = { readonly code: number | null; readonly signal: string | null };
type Started = {
  readonly child: ReturnType<typeof spawn>;
  readonly err: () => string;
  readonly signal: (name: NodeJS.Signals) => void;
  readonly ended: Promise<Ended>;
};

function start(...argv: string[]): Started {
  const child = spawn(process.execPath, [programPath, "--home", remote.home.home, ...argv], {
    env: childEnv(remote.env()),
    stdio: ["ignore", "pipe", "pipe"],
  });
  watchOutput(child);
  let text = "";
  child.stderr.on("data", (part: Buffer) => (text += part.toString()));
  child.stdout.resume();
  const started: Started = {
    child,
    err: () => text,
    signal: (name) => void child.kill(name),
    ended: once(child, "close").then(([code, signal]) => ({
      code: code as number | null,
      signal: signal as string | null,
    })),
  };
  children.push(started);
  return started;
}

/** Resolves when something holds that another process brings about. */
async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + 30_000;
  while (!holds()) {
    if (performance.now() > end) throw new Error("it never came to that");
    await wait(5);
  }
}

const count = (sql: string): Promise<number> => remote.home.count(sql);
const events = (): Promise<number> => count("select count(*) from events");
const reads = (): string[] => {
  const folder = join(remote.home.home, "landing", "reads");
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
};
/** Lets the service answer the first windows, and leaves the later ones without an answer. */
const hangAfter = (windows: number): void => {
  let asked = 0;
  remote.fault((request) =>
    request.url?.startsWith("/v4/audits") && (asked += 1) > windows
      ? new Promise<boolean>(() => undefined)
      : false,
  );
};
const range = ["--from", "8d"];
// Events that take a while to load.
const many = 60_000;

/** Reads everything in this process, which takes a third of the time of a separate one. */
async function ingestHere(): Promise<void> {
  expect((await remote.ingest(range)).code).toBe(0);
}

describe.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("%s during an ingest", (signal) => {
  it("commits what is on disk, reports where the next run resumes, and exits with 130", async () => {
    hangAfter(3);
    const run = start("ingest", ...range);
    await until(() => reads().length === 3);
    run.signal(signal);
    const { code } = await run.ended;
    expect([code, run.err()]).toEqual([130, run.err()]);
    expect(await events()).toBe(15);
    expect(run.err()).toContain("interrupted: finishing the current load first");
    expect(run.err()).toMatch(
      /^interrupted: 3 of 9 windows committed; continue with auditlake --home \S+ ingest --source default --from \S+ --to \S+$/m,
    );
    expect(run.err()).toMatch(/^15 events in 3 reads: 15 new, /m);
    expect(run.err()).not.toContain("warning: ");
    expect(await remote.home.rows("select outcome, windows from ingest_runs")).toEqual([
      { outcome: "interrupted", windows: "3" },
    ]);
    expect(await count("select count(*) from window_reads")).toBe(reads().length);
    remote.fault(undefined);
    const rest = /--from \S+ --to \S+$/m.exec(run.err())![0].split(" ");
    expect((await start("ingest", ...rest).ended).code).toBe(0);
    expect([await events(), await count("select count(distinct id) from events")]).toEqual([
      40, 40,
    ]);
  });
});

describe("an interrupt of ingest", () => {
  it("ends the wait for a retry of ten minutes", async () => {
    remote.fault((request, response) => {
      if (!request.url?.startsWith("/v4/audits")) return false;
      response.writeHead(429, { "Retry-After": "600" }).end();
      return true;
    });
    const run = start("--log-level", "info", "ingest");
    await until(() => run.err().includes("429"));
    run.signal("SIGINT");
    expect((await run.ended).code).toBe(130);
    expect(run.err()).toMatch(/^interrupted: 0 of 3 windows committed; the next run resumes at /m);
  });

  it("that arrives twice, as npx forwards it, counts as one", async () => {
    hangAfter(3);
    const run = start("ingest", ...range);
    await until(() => reads().length === 3);
    // Both have arrived when it continues; of two with one name only one would be counted.
    run.signal("SIGSTOP");
    for (const name of ["SIGINT", "SIGTERM", "SIGCONT"] as const) run.signal(name);
    expect((await run.ended).code).toBe(130);
    expect(run.err()).toMatch(/^interrupted: 3 of 9 windows committed/m);
  });

  it("lets the next scheduled run resume there", async () => {
    hangAfter(1);
    const run = start("ingest");
    await until(() => reads().length === 1);
    run.signal("SIGINT");
    expect((await run.ended).code).toBe(130);
    remote.fault(undefined);
    const next = start("ingest");
    expect((await next.ended).code).toBe(0);
    expect(await count("select count(*) from ingest_windows")).toBe(3);
    expect(await events()).toBe(10);
  });

  it("releases the lock and leaves no temporary files", async () => {
    hangAfter(2);
    const run = start("ingest", ...range);
    await until(() => reads().length === 2);
    run.signal("SIGTERM");
    await run.ended;
    const files = readdirSync(remote.home.home, { recursive: true }).map(String);
    expect(files.filter((file) => /\.tmp$|staging|\.wal$|run\.lock$/.test(file))).toEqual([]);
  });

  it("that is repeated ends the run at once, with nothing half written", async () => {
    const busy = Array.from({ length: many }, (_, i) => eventAt(today - dayMs + i * 500));
    await remote.serve(busy, { pageCap: many });
    const run = start("ingest", "--from", "1d");
    const staging = join(remote.home.home, "staging");
    await until(() => existsSync(staging) && readdirSync(staging).some((name) => name !== "tmp"));
    run.signal("SIGINT");
    await until(() => run.err().includes("interrupt again to stop immediately"));
    // Those that come with the first are no second one.
    const again = (): unknown => (run.signal("SIGINT"), run.child.signalCode ?? run.child.exitCode);
    await expect.poll(again, { timeout: 30_000, interval: 20 }).not.toBeNull();
    expect(await run.ended).toEqual({ code: null, signal: "SIGINT" });
    const next = start("ingest", "--from", "1d");
    expect([(await next.ended).code, next.err()]).toEqual([0, next.err()]);
    expect([await events(), await count("select count(distinct id) from events")]).toEqual([
      many,
      many,
    ]);
  });
});

describe("an interrupt of import", () => {
  it("finishes the current file and names the remaining ones", async () => {
    const record = (i: number): string =>
      `${JSON.stringify({ time: 1_770_000_000 + i, event_name: "job_kill", id: `a${i}` })}\n`;
    const big = (from: number): string =>
      Array.from({ length: many }, (_, i) => record(from + i)).join("");
    const files = [
      remote.home.write("1.ndjson", big(0)),
      remote.home.write("2.ndjson", big(many)),
      remote.home.write("3.ndjson", record(2 * many)),
    ];
    const run = start("import", ...files);
    await until(() => existsSync(join(remote.home.home, "landing", "pages")));
    run.signal("SIGINT");
    const { code } = await run.ended;
    expect([code, run.err()]).toEqual([130, run.err()]);
    expect(run.err()).toContain(`${countText(many)} records, ${countText(many)} new`);
    const done = Number(/interrupted: ([12]) of 3 files done/.exec(run.err())?.[1]);
    expect(run.err()).toContain(
      `continue with auditlake --home ${remote.home.home} import --source default ${files.slice(done).join(" ")}\n`,
    );
    expect(await events()).toBe(done * many);
  });
});

describe("an interrupt of rebuild", () => {
  it("changes nothing, and reports that", async () => {
    for (const _ of [1, 2]) await ingestHere();
    const before = readFileSync(join(remote.home.home, "audit.duckdb"));
    const run = start("rebuild");
    await until(() => existsSync(join(remote.home.home, "staging", "rebuilt.duckdb")));
    run.signal("SIGINT");
    expect([(await run.ended).code, run.err()]).toEqual([130, run.err()]);
    expect(run.err()).toMatch(/^interrupted after \d+ steps; nothing was changed/m);
    expect(readFileSync(join(remote.home.home, "audit.duckdb")).equals(before)).toBe(true);
    expect((await start("rebuild").ended).code).toBe(0);
  });
});

describe("an interrupt of report run --all --out", () => {
  it("finishes the current report and prints how many were written", async () => {
    await ingestHere();
    const folder = join(remote.home.folder, "reports");
    const run = start("report", "run", "--all", "--since", "30d", "--out", folder);
    await until(() => existsSync(folder) && readdirSync(folder).some((f) => f.endsWith(".csv")));
    run.signal("SIGINT");
    expect([(await run.ended).code, run.err()]).toEqual([130, run.err()]);
    const [, reported] = /^interrupted: (\d+) of \d+ reports written$/m.exec(run.err())!;
    const written = readdirSync(folder);
    expect(written.filter((name) => !name.endsWith(".csv"))).toEqual([]);
    expect(written).toHaveLength(Number(reported));
  });
});

describe("an interrupt of a command whose reader is blocked", () => {
  it("ends the command nevertheless", async () => {
    await ingestHere();
    const run = start("sql", "--format", "csv", "select repeat('x', 1000) from range(100000)");
    // More than a pipe can store, and nothing reads it.
    run.child.stdout!.pause();
    await once(run.child.stdout!, "readable");
    run.signal("SIGINT");
    await once(run.child, "exit");
    run.child.stdout!.resume();
    expect((await run.ended).code).toBe(130);
  });
});
