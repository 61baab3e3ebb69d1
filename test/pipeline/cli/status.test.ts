import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newHome } from "../../support/home.ts";
import { insertEvents, writePublished } from "../published-file.ts";
import { runCli } from "./run-cli.ts";

// Five days from 1 November, the third never read. Run r1 reads all, r2 the last two again and finds
// two late events; r3 fails.
const statements = [
  `insert into ingest_runs
     (run_id, source, command, started_at, finished_at, outcome, windows, pages, fetched, inserted,
      duplicate, quarantined, vanished, requests, retries, bytes, catalog_version, tool_version, error)
   values
     ('r1', 'prod', 'ingest', timestamp '2026-11-06 00:30:00', timestamp '2026-11-06 00:31:05', 'done',
      4, 4, 13, 10, 1, 2, 0, 4, 0, 1000, 'c', 't', null),
     ('r2', 'prod', 'ingest', timestamp '2026-11-07 00:30:00', timestamp '2026-11-07 00:30:20', 'done',
      2, 2, 6, 2, 4, 0, 1, 2, 0, 500, 'c', 't', null),
     ('r3', 'prod', 'ingest', timestamp '2026-11-08 00:30:00', timestamp '2026-11-08 00:30:01', 'failed',
      0, 0, 0, 0, 0, 0, 0, 1, 5, 0, 'c', 't', 'the service answered 503' || chr(27) || '[2J')`,
  `insert into window_reads
     (read_id, run_id, source, window_start, window_end, read_at, state, pages, fetched, inserted,
      duplicate, quarantined, vanished, outside, digest, reason, evidence, signs, neutral, parts,
      next_followed, half_asked, is_mark)
   select
     run_id || day, run_id, 'prod', timestamp '2026-11-01' + to_days(day),
     timestamp '2026-11-02' + to_days(day), read_at, state, 1, 3, 2, 0, 0, vanished, 0, 'd',
     case state when 'closed' then 'once' end, case state when 'finalized' then ['parts'] else [] end,
     [], false, 1, false, false, false
   from (values
     ('r1', 0, timestamp '2026-11-06 00:30:10', 'finalized', 0),
     ('r1', 1, timestamp '2026-11-06 00:30:11', 'finalized', 0),
     ('r1', 3, timestamp '2026-11-05 00:30:12', 'closed', 0),
     ('r1', 4, timestamp '2026-11-06 00:30:13', 'closed', 0),
     ('r2', 3, timestamp '2026-11-07 00:30:12', 'finalized', 0),
     ('r2', 4, timestamp '2026-11-07 00:30:13', 'closed', 1)
   ) as w(run_id, day, read_at, state, vanished)`,
  `insert into checkpoints values
     ('prod', timestamp '2026-11-05', 'r2', timestamp '2026-11-07 00:30:20')`,
  insertEvents(
    [
      {
        runId: "r1",
        seenAt: "2026-11-06 00:30:10",
        time: "2026-11-01 00:00:05",
        readId: "r10",
        name: "job_issue",
      },
      {
        runId: "r1",
        seenAt: "2026-11-06 00:30:10",
        time: "2026-11-02 10:00:00",
        readId: "r11",
        name: "job_issue",
      },
      {
        runId: "r1",
        seenAt: "2026-11-06 00:30:13",
        time: "2026-11-05 20:00:00",
        readId: "r14",
        name: "sign_in",
      },
      {
        runId: "r2",
        seenAt: "2026-11-07 00:30:12",
        time: "2026-11-04 00:30:12",
        readId: "r23",
        name: "sign_in",
      },
      {
        runId: "r2",
        seenAt: "2026-11-07 00:30:13",
        time: "2026-11-05 23:30:13",
        readId: "r24",
        name: "evil\u202ename",
      },
    ].map((event) => ({ ...event, source: "prod" })),
  ),
  `insert into quarantine
     (quarantine_key, source, run_id, sha256, page, reason, record_text, first_seen_at)
   values
     ('q1', 'prod', 'r1', 's', 1, 'time is missing', '{"secret":1}', timestamp '2026-11-06 00:30:10'),
     ('q2', 'prod', 'r1', 's', 1, 'time is missing', '{"secret":2}', timestamp '2026-11-06 00:30:11')`,
];

let home: string;
const now = "2026-11-08T12:00:00Z";

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "auditlake-test-"));
  await writePublished(join(home, "audit.duckdb"), statements);
  mkdirSync(join(home, "landing", "ab"), { recursive: true });
  writeFileSync(join(home, "landing", "ab", "page"), "x".repeat(1500));
  writeFileSync(join(home, "warehouse.duckdb"), "not a database: never opened");
  const sources = { prod: { retention: "30h", lookback: "1d" } };
  writeFileSync(join(home, "auditlake.json"), JSON.stringify({ sources }));
});
afterAll(() => rmSync(home, { recursive: true }));

function status(...argv: string[]) {
  const config = ["--config", join(home, "auditlake.json")];
  return runCli(["--home", home, ...config, "status", ...argv], { now, columns: 80 });
}

describe("status as text", () => {
  it("shows the verified complete range, coverage gaps, lateness, sizes and errors within 80 columns", async () => {
    const { code, stdout, stderr } = await status();
    expect([code, stderr]).toEqual([0, ""]);
    const lines = stdout.split("\n");
    expect(lines.filter((line) => line.length > 80 && !line.includes(home))).toEqual([]);
    for (const line of [
      "  warehouse           28 bytes, written ",
      "  landing             1 file, 1.50 kB",
      "source prod",
      "  events              5, 2026-11-01 00:00:05 to 2026-11-05 23:30:13",
      "  verified complete   from 2026-11-04 00:00:00 to 2026-11-05 00:00:00",
      "  complete through    2026-11-06 00:00:00",
      "  last success        2026-11-07 00:30:20",
      "  windows             1 closed, 3 finalized",
      "  gaps                2026-11-03 00:00:00 to 2026-11-04 00:00:00 (lost)",
      "  lateness            2 events, up to 2 d; sources.prod.lookback is 1 d",
      "  no longer returned  1 row in 1 window, the first from 2026-11-05 00:00:00",
      "1 window needs a second read before it counts as complete (2026-11-05T00:00:00Z",
      "time is missing        2  2026-11-06 00:30:11",
      "last error, 2026-11-08 00:30:00",
      "the service answered 503\\u001b[2J",
    ])
      expect(stdout).toContain(line);
    expect(stdout).not.toContain("secret");
  });

  it("counts as late only what an earlier read could have shown", async () => {
    const { stdout } = await status();
    const late = stdout.split("late events\n")[1]!.split("\n\n")[0]!.split("\n");
    expect(late.slice(2)).toEqual(
      [
        "sign_in                   1  2 d     2 d  2 d",
        "evil\\u202ename            1  1 d     1 d  1 d",
      ].map((line) => expect.stringMatching(line.replace(/[\\[]/g, "\\$&").replace(/ +/g, " +"))),
    );
  });

  it("warns of future losses, of coverage gaps, of too short a look-back, of a failed run", async () => {
    const { stdout } = await status();
    const text = stdout.replace(/\s+/g, " ");
    expect(text).toContain(
      `warning: the last complete scheduled run was 1 d 11 h ago, and the service retains events for 1 d 6 h: events from 2026-11-06T00:00:00Z to 2026-11-07T06:00:00Z may be lost; run auditlake --home ${home} --config ${join(home, "auditlake.json")} ingest --source prod now, before more expire`,
    );
    expect(text).toContain(
      "warning: not read within sources.prod.retention: 2026-11-03T00:00:00Z to 2026-11-04T00:00:00Z; events of that time may be lost",
    );
    expect(text).toContain(
      "warning: events arrived up to 2 d late, but lookback is 1 d; set sources.prod.lookback to 3d",
    );
    expect(text).toContain(
      "warning: the run of 2026-11-08T00:30:00Z had an error, and no scheduled run has completed since; see the last error",
    );
  });
});

describe("a coverage gap that the service still retains", () => {
  it("is reported with the command that closes it, and not as lost", async () => {
    const { stdout } = await runCli(["--home", home, "status"], { now, columns: 80 });
    const text = stdout.replace(/\s+/g, " ");
    expect(text).toContain(
      `warning: 1 coverage gap; to close it, run auditlake --home ${home} ingest --source prod --from 2026-11-03T00:00:00Z --to 2026-11-04T00:00:00Z`,
    );
    expect(text).not.toMatch(/lost/);
  });
});

describe("status as JSON", () => {
  it("is one object with all facts", async () => {
    const { code, stdout } = await status("--json");
    expect(code).toBe(0);
    const answer = JSON.parse(stdout);
    expect(answer).toMatchObject({
      home,
      warehouse: { bytes: 28 },
      landing: { files: 1, bytes: 1500, pruned_before: null },
    });
    expect(answer.sources).toHaveLength(1);
    expect(answer.sources[0]).toMatchObject({
      source: "prod",
      totals: {
        events: 5,
        final_from: "2026-11-04T00:00:00Z",
        final_up_to: "2026-11-05T00:00:00Z",
        vanished: 1,
      },
      gaps: [
        {
          gap_start: "2026-11-03T00:00:00Z",
          gap_end: "2026-11-04T00:00:00Z",
          days: 1,
          is_lost: true,
        },
      ],
      quarantine: [{ reason: "time is missing", records: 2 }],
    });
    expect(answer.sources[0].lateness[0]).toEqual({
      event_name: "sign_in",
      late_events: 1,
      median_seconds: 172_800,
      p99_seconds: 172_800,
      max_seconds: 172_800,
    });
    expect(answer.sources[0].warnings).toHaveLength(4);
    expect(answer.runs.map((run: { outcome: string }) => run.outcome)).toEqual([
      "failed",
      "done",
      "done",
    ]);
  });

  it("has no facts of a source that never ran", async () => {
    const config = join(home, "two.json");
    writeFileSync(config, JSON.stringify({ sources: { prod: {}, other: {} } }));
    const argv = ["--home", home, "--config", config, "--source", "other", "status", "--json"];
    const { code, stdout } = await runCli(argv, { now });
    expect([code, JSON.parse(stdout).sources]).toEqual([0, []]);
  });

  it.each(["text", "json", "prometheus"])("refuses an unknown source: %s", async (form) => {
    const found = await runCli(
      ["--home", home, "--source", "prd", "status", "--format", form, "--fail-on", "gaps"],
      { now },
    );
    expect(found).toEqual({
      code: 2,
      stdout: "",
      stderr: "error: no data of source prd; known: prod\n",
    });
  });
});

it("has nulls before the first scheduled run", async () => {
  using own = newHome();
  expect(
    (await own.load([{ id: "1", time: "2026-11-01T00:00:05Z", event_name: "sign_in" }])).code,
  ).toBe(0);
  const { out } = await own.run(["status"]);
  expect(out).toContain(`
  verified complete   –
  complete through    –
  last success        no complete scheduled run yet
`);
});

describe("status before anything is published", () => {
  it("prints what to run, and succeeds", async () => {
    const { code, stdout } = await runCli(["--home", join(home, "none"), "status"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/auditlake --home \S+ ingest/);
    expect(stdout).toMatch(/auditlake --home \S+ import FILE/);
  });

  it("has the same in JSON", async () => {
    const { code, stdout } = await runCli(["--home", join(home, "none"), "status", "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ published: null, sources: [], runs: [] });
  });

  it("fails if --fail-on names an unknown state", async () => {
    for (const format of ["text", "json", "prometheus"]) {
      const argv = [
        "--home",
        join(home, "none"),
        "status",
        "--format",
        format,
        "--fail-on",
        "gaps",
      ];
      const { code, stdout, stderr } = await runCli(argv);
      expect([code, stdout === ""]).toEqual([1, false]);
      expect(stderr).toMatch(
        /^error: nothing published yet: the home .*none does not exist; check --home/,
      );
    }
  });

  it("prints no lines of sources for a file without runs", async () => {
    const empty = join(home, "empty");
    mkdirSync(empty);
    await writePublished(join(empty, "audit.duckdb"), []);
    const { code, stdout } = await runCli(["--home", empty, "status"]);
    expect([code, stdout.endsWith("no run yet\n")]).toEqual([0, true]);
  });
});
