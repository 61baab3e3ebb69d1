import { existsSync, rmSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { asksFor, dayMs, eventAt, hourMs, newRemote, type Remote } from "../../support/remote.ts";

// The verb as a person runs it, over real HTTP on loopback.

const start = Date.UTC(2026, 2, 1);
const log = Array.from({ length: 30 }, (_, i) => eventAt(start - 3 * dayMs + i * 2 * hourMs));
const users = [{ id: 7, email: "jo@example.com", administrator: false }];

let remote: Remote;
beforeEach(async () => {
  remote = await newRemote(start);
});
afterEach(() => remote[Symbol.asyncDispose]());
const events = (): Promise<number> => remote.home.count("select count(*) from events");
const commands = async (): Promise<unknown[]> =>
  (await remote.home.rows("select command from ingest_runs")).map(({ command }) => command);
/** As before a first run. */
const noHome = (): void => rmSync(remote.home.home, { recursive: true });
const lines = (text: string, start: string): string[] =>
  text.split("\n").filter((line) => line.startsWith(start));

describe("an ingest run", () => {
  it("prints the range, the counts and the verified complete range, on stderr only", async () => {
    noHome();
    await remote.serve(log, { users });
    const { code, out, err } = await remote.ingest();
    expect([code, out]).toEqual([0, ""]);
    expect(err).toContain(
      "reading 2026-02-27T00:00:00Z to 2026-03-01T00:00:00Z: no checkpoint yet, so only the look-back of 2 d; for more, auditlake ingest --source default --from 30d --confirm\n",
    );
    expect(err).toMatch(/18 events in 2 windows: 18 new, 0 duplicates; \d+ requests, 0 retries/);
    expect(err).toMatch(/^verified complete: –/m);
    expect(await commands()).toEqual(["ingest"]);
  });

  it("notes the start of a source besides others, whose name may be mistyped", async () => {
    await remote.serve(log);
    await remote.ingest();
    const warning =
      "warning: source prd is new in this home, known sources: default; to use one of them";
    expect((await remote.ingest(["--source", "prd"])).err).toContain(warning);
    expect((await remote.ingest(["--source", "prd"])).err).not.toContain("is new in this home");
  });

  it("that failed as the first one leaves no published file", async () => {
    noHome();
    await remote.serve(log);
    const env = { ...remote.env(), AUDITLAKE_API_KEY: "wrong" };
    expect((await remote.ingest([], { env })).code).toBe(4);
    const warning = "warning: the database has no events yet, so an empty result proves nothing";
    const ask = async (...argv: string[]): Promise<string> => (await remote.home.run(argv)).err;
    expect(await ask("report", "run", "denials_by_actor")).toContain(warning);
    expect(await ask("--quiet", "report", "run", "denials_by_actor")).toContain(warning);
    expect(await ask("policy", "list")).toContain(warning);
    expect((await remote.ingest()).code).toBe(0);
    // The range of the report is that of today, and nothing has been read so far.
    const late = await ask("report", "run", "denials_by_actor");
    expect(late).not.toContain(warning);
    expect(late).toContain("note: the log of default ends at 2026-03-01T00:00:00Z");
    expect(await ask("policy", "list")).not.toContain("warning");
  });

  it("prints nothing under --quiet, with any progress mode", async () => {
    await remote.serve(log);
    let nowMs = start;
    const { code, out, err } = await remote.home.run(["--quiet", "--progress", "json", "ingest"], {
      env: remote.env(),
      now: () => (nowMs += 6000),
    });
    expect([code, out, err]).toEqual([0, "", ""]);
  });

  it("reads the given range, and a repeat changes nothing", async () => {
    await remote.serve(log);
    const range = ["--from", "2026-02-26", "--to", "2026-02-27"];
    expect((await remote.ingest(range)).err).toContain("12 events in 1 window: 12 new");
    remote.clock.nowMs += 1000;
    expect((await remote.ingest(range)).err).toContain(
      "12 events in 1 window: 0 new, 12 duplicates",
    );
    expect(await events()).toBe(12);
    expect(await commands()).toEqual(["backfill", "backfill"]);
  });

  it("reads the user directory, so that an actor has an e-mail", async () => {
    await remote.serve([eventAt(start - hourMs, start, { user_id: 7 })], { users });
    await remote.ingest();
    expect(await remote.home.rows("select actor_email, actor_email_source from events")).toEqual([
      { actor_email: "jo@example.com", actor_email_source: "directory" },
    ]);
  });

  it("only prints the windows on a dry run", async () => {
    noHome();
    const service = await remote.serve(log);
    const { code, out } = await remote.ingest(["--dry-run"]);
    expect([code, out]).toEqual([
      0,
      "2026-02-27T00:00:00Z\t2026-02-28T00:00:00Z\n2026-02-28T00:00:00Z\t2026-03-01T00:00:00Z\n",
    ]);
    expect(service.requests.total).toBe(0);
    expect(existsSync(remote.home.home)).toBe(false);
  });

  it("reports its progress to a program in JSON lines, and its duration in seconds", async () => {
    await remote.serve(log);
    let nowMs = start;
    const { err } = await remote.home.run(["--progress", "json", "ingest"], {
      env: remote.env(),
      now: () => (nowMs += 6000),
    });
    const progress = lines(err, "{").map(
      (line) => JSON.parse(line) as { done: number; total: number },
    );
    expect(progress.length).toBeGreaterThan(0);
    expect(progress.at(-1)).toMatchObject({ done: progress[0]!.total, unit: "windows" });
    // The clock moves by six seconds each time that it is looked at, and never else.
    const seconds = Number(/, (\d+\.\d) s$/m.exec(err)?.[1]);
    expect([seconds > 60, seconds < (nowMs - start) / 1000, seconds % 6]).toEqual([true, true, 0]);
  });
});

describe("a failure", () => {
  it("of one window does not affect the others, and is named with exit code 6", async () => {
    await remote.serve(log);
    remote.fault((request, response) => {
      if (!asksFor(request, start - 2 * dayMs)) return false;
      response.writeHead(200, { "Content-Type": "application/json" }).end('{"audits":[{"time":1');
      return true;
    });
    const { code, err } = await remote.ingest(["--from", "3d"]);
    expect(code).toBe(6);
    expect(lines(err, "error:")).toEqual([
      expect.stringMatching(/^error: window 2026-02-27T00:00:00Z: .*truncated/),
    ]);
    await expect(
      remote.home.rows("select 1 from read_stretches where state = 'gap'"),
    ).resolves.toEqual([]);
    expect(await events()).toBe(18);
    expect(
      await remote.home.rows("select outcome, error is not null as has_error from ingest_runs"),
    ).toEqual([{ outcome: "partial", has_error: true }]);
  });

  it("of all windows for one reason is one line, with exit code 1", async () => {
    await remote.serve(log);
    remote.fault((_request, response) => {
      response.writeHead(404).end();
      return true;
    });
    const { code, err } = await remote.ingest(["--from", "3d"]);
    expect(code).toBe(1);
    expect(lines(err, "error:")).toEqual([
      expect.stringMatching(
        /^error: 3 windows, 2026-02-26T00:00:00Z to 2026-02-28T00:00:00Z: .*404/,
      ),
    ]);
  });

  it("of the user directory alone is a warning, with exit code 6", async () => {
    await remote.serve(log);
    remote.fault((request, response) => {
      if (!request.url?.startsWith("/v3/user")) return false;
      response.writeHead(403).end();
      return true;
    });
    const { code, err } = await remote.ingest();
    expect(code).toBe(6);
    expect(lines(err, "warning:")).toHaveLength(1);
    expect(lines(err, "error:")).toEqual([]);
    expect(await events()).toBe(18);
  });

  it("to get the lock of another run exits with 5", async () => {
    await remote.serve(log);
    let second: Promise<{ code: number; err: string }> | undefined;
    remote.fault(async () => {
      second ??= remote.ingest();
      await second;
      return false;
    });
    const first = await remote.ingest();
    const { code, err } = await second!;
    expect([first.code, code]).toEqual([0, 5]);
    expect(err).toMatch(
      /^error: locked: auditlake ingest \(process \d+ on .*\) has been running since/,
    );
  });

  it("by an interrupt exits with 130 and leaves what was committed", async () => {
    const controller = new AbortController();
    await remote.serve(log);
    remote.fault((request) => {
      if (asksFor(request, start - dayMs)) controller.abort();
      return false;
    });
    const { code } = await remote.ingest(["--from", "3d"], { signal: controller.signal });
    expect(code).toBe(130);
    expect((await remote.ingest(["--from", "3d"])).code).toBe(0);
    expect(await events()).toBe(30);
  });
});

describe("flags", () => {
  it.each([
    [["--to", "2026-03-01"], /--to needs --from/],
    [["--from", "2026-03-02", "--to", "2026-03-01"], /--from 2026-03-02 is not before --to/],
    [["--from", "soon"], /"soon" is not a time/],
    [["--from", "2026-02-30"], /"2026-02-30" is not a time/],
    [
      ["--from", "9999-12-31", "--to", "9999-12-31T23:59:59Z"],
      /^error: 9999-12-31T00:00:00Z to .*; expected years from 0 to 9999; .*\n$/,
    ],
    [["--fast"], /unknown option '--fast'/],
  ])("%j are refused with exit code 2", async (argv, message) => {
    noHome();
    const { code, err } = await remote.ingest(argv);
    expect(code).toBe(2);
    expect(err).toMatch(message);
    expect(existsSync(remote.home.home)).toBe(false);
  });
});
