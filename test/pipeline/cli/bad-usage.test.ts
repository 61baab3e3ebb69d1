import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newRealWorld } from "../../../pipeline/base/world.ts";
import { failureLine } from "../../support/failure.ts";
import { testKey } from "../../support/key.ts";
import { formatLines, newHome, type TestHome } from "../../support/home.ts";
import type { Outcome } from "../../support/command.ts";

// A wrong word on the command line or in the configuration: one line that names it and says what to do.

const key = testKey;
const env = { AUDITLAKE_BASE_URL: "http://127.0.0.1:9", AUDITLAKE_API_KEY: key };
const { sleep } = newRealWorld(new AbortController().signal);
const content = "s3cr3t-content";
const good = { time: 1767225600, event_name: "job_kill", resource_name: content };

let home: TestHome;
beforeAll(async () => {
  home = newHome();
  expect((await home.load([good])).code).toBe(0);
});
afterAll(() => home[Symbol.dispose]());

const failure = (outcome: Outcome, expected: number): string =>
  failureLine(outcome, expected, [key, content]);
const runConfigured = (config: unknown, ...argv: string[]): Promise<Outcome> =>
  home.run(
    [
      "--config",
      home.write("bad.json", typeof config === "string" ? config : JSON.stringify(config)),
      ...argv,
    ],
    { env },
  );

describe("an invalid call", () => {
  it.each<[string, string[], RegExp]>([
    [
      "for a report that does not exist",
      ["report", "run", "denials_by_actr"],
      /denials_by_actr.*denials_by_actor/,
    ],
    [
      "with a parameter the report does not have",
      ["report", "run", "denials_by_actor", "--param", "colour=red"],
      /colour/,
    ],
    [
      "with a parameter that is not a time",
      ["report", "run", "denials_by_actor", "--since", "soon"],
      /"soon" is not a time; expected/,
    ],
    ["for a column that does not exist", ["sql", "select colour from events"], /colour/],
    ["for a table that does not exist", ["sql", "select * from evnts"], /evnts/],
    ["that would write", ["sql", "delete from event_rows"], /read|select|statement/i],
    [
      "for an event called like the verb",
      ["catalog", "show", "catalog"],
      /no event is called "catalog"/,
    ],
    ["for an unknown event", ["catalog", "show", "job_kil"], /job_kil.*job_kill/],
  ])("%s is answered in one line", async (_what, argv, message) => {
    const outcome = await home.run(argv, { sleep });
    expect(failure(outcome, outcome.code === 1 ? 1 : 2)).toMatch(message);
  });

  it.each<[string, string[], string]>([
    ["a person", ["investigate", "rosa"], "investigate --user rosa"],
    ["an address", ["investigate", "--ip", "192.0.2.1"], "investigate --address 192.0.2.1"],
    [
      "a parameter as a flag",
      ["report", "run", "user_timeline", "--user", "rosa"],
      "report run user_timeline --param user=rosa",
    ],
    ["an e-mail", ["access", "rosa@example.com"], "access what rosa@example.com"],
    ["the version", ["version"], "auditlake --version"],
    ["a statement", ["select", "email"], 'sql "select email"'],
    ["a column of another log", ["sql", "select email from events"], "the column is actor_email"],
    ["a column of no table", ["sql", "select email"], "select actor_email from events"],
    [
      "a time counted back",
      ["sql", "select event_name from events where event_time > '7d'"],
      "now() - interval '7 days'",
    ],
    [
      "a target",
      ["export", "denials_by_actor", "--to", "unknown"],
      "auditlake export test unknown",
    ],
  ])("that names %s prints the right command in its last line", async (_what, argv, typed) => {
    const outcome = await home.run(argv, { sleep });
    expect(outcome.code).not.toBe(0);
    expect(outcome.err.trimEnd().split("\n").at(-1)).toContain(typed);
  });

  it.each<[string, string[], RegExp]>([
    ["a verb", ["ingst"], /unknown command 'ingst'/],
    ["a word like no verb", ["frobnicate"], /'frobnicate'; --help lists all commands/],
    ["a flag", ["ingest", "--form", "7d"], /unknown option '--form'/],
    ["a format", ["sql", "select 1", "--format", "exel"], /exel/],
  ])("with an unknown %s exits with 2", async (_what, argv, message) => {
    expect(failure(await home.run(argv), 2)).toMatch(message);
  });
});

describe("a configuration", () => {
  it.each<[string, unknown, RegExp]>([
    ["with a misspelt key", { sorces: {} }, /bad\.json: .*sorces.*; did you mean sources\?/],
    [
      "with a misspelt key deep down",
      { sources: { a: { audits: { pagng: {} } } } },
      /sources\.a\.audits: .*pagng/,
    ],
    [
      "with a wrong value",
      { sources: { a: { settle: "soon" } } },
      /sources\.a\.settle: .*expected a duration/,
    ],
    [
      "with a window of more than a thousand years",
      { sources: { a: { window: "100000000d" } } },
      /sources\.a\.window: expected a duration .*, at most 365000d, got "100000000d"/,
    ],
    ["with a wrong type", { threads: "two" }, /threads: .*expected number/],
    [
      "that is no JSON",
      "{sources:",
      /bad\.json is not valid JSON near line 1; expected a JSON object/,
    ],
    ["that is cut off", '{\n"home":\n', /bad\.json is not valid JSON near line 2;/],
    ["that is an array", [], /bad\.json: .*expected object/],
    [
      "with a key twice",
      '{"sources":{"a":{},"a":{}}}',
      /bad\.json has the key "a" twice in one object; remove one/,
    ],
  ])("%s is refused with file and key", async (_what, config, message) => {
    expect(failure(await runConfigured(config, "ingest"), 2)).toMatch(message);
  });

  it("with a catalog that names a key twice is refused with what to do", async () => {
    home.write("own.json", '{"area":"A","area":"B","events":[]}');
    const { err } = await runConfigured(
      { catalog: { extra: join(home.folder, "own.json") } },
      "catalog",
      "list",
    );
    expect(err).toMatch(/own\.json: a key occurs twice in one object; remove one of them/);
  });

  it("with a missing quote is refused with the line and without its content", async () => {
    const target = { type: "webhook", url: "https://a.example", secret: "s3cr3t-token" };
    const text = JSON.stringify({ targets: { a: target } }, null, 1);
    const printed = failure(
      await runConfigured(text.replace('"s3cr3t-token"', "s3cr3t-token"), "ingest"),
      2,
    );
    expect(printed).toMatch(/bad\.json is not valid JSON near line 6;/);
    expect(printed).not.toMatch(/s3c|tok/);
  });

  it("without the source, or with too many, is reported with the existing ones", async () => {
    const config = { sources: { east: {}, west: {} } };
    expect(failure(await runConfigured(config, "policy", "get", "7"), 2)).toMatch(
      /east, west.*choose one with --source/,
    );
    expect(failure(await runConfigured(config, "--source", "north", "ingest"), 2)).toMatch(
      /source north is not configured; known: east, west/,
    );
  });

  it("that is missing is named", async () => {
    const outcome = await home.run(["--config", "/nowhere/auditlake.json", "ingest"]);
    expect(failure(outcome, 2)).toMatch(/cannot read configuration \/nowhere\/auditlake\.json/);
  });
});

it("a home that is a file, or below one, is refused before anything is done", async () => {
  const file = home.write("file", "");
  const refuse = async (path: string): Promise<string> =>
    failure(await home.run(["--home", path, "status"]), 2);
  expect(await refuse(file)).toBe(
    `error: home ${file} is a file, expected a folder; choose one with --home`,
  );
  expect(await refuse(`${file}/x`)).toBe(
    `error: home ${file}/x is below a file, expected a folder; choose another with --home`,
  );
});

it.each([
  [["denials_list"], "run denials_list"],
  [["denials_list", "--since", "7d"], "run denials_list"],
  [["rnu", "denials_list"], "run denials_list"],
  [["shw", "denials_list"], "show denials_list"],
  [["lst"], "list"],
  [["shw", "nothing"], "show"],
])("report %j is refused with the similar names", async (argv, meant) => {
  const error = failure(await home.run(["report", ...argv]), 2);
  expect(error).toMatch(
    new RegExp(`expected list, show or run; did you mean auditlake .*report ${meant}\\?$`),
  );
});

it.each([
  [["publish"]],
  [["export", "denials_by_day", "--result", '{"type":"file","folder":"o"}']],
  [["activate", "denials", "--from-workflow", "nosuch.yml"]],
])("a missing home is not created by %j", async (argv) => {
  const nowhere = join(home.folder, "nowhere");
  const outcome = await home.run(["--home", nowhere, ...argv]);
  expect(failure(outcome, argv[0] === "activate" ? 2 : 1)).toMatch(
    /the home .* does not exist|no such file/,
  );
  expect(existsSync(nowhere)).toBe(false);
});

it("a summary that cannot be written ends an export before anything is sent", async () => {
  const out = join(home.folder, "sent");
  const result = JSON.stringify({ type: "file", folder: out });
  const file = home.write("file", "");
  for (const [summary, why] of [
    [join(file, "s.json"), "a part of its path is a file"],
    [home.folder, "is a folder, expected a file"],
  ] as const) {
    const outcome = await home.run([
      "export",
      "denials_by_day",
      "--result",
      result,
      "--summary",
      summary,
    ]);
    expect(failure(outcome, 2)).toContain(why);
  }
  expect(existsSync(out)).toBe(false);
});

describe("a range to accept", () => {
  const accept = (from: string, to: string, reason = "seen"): Promise<Outcome> =>
    runConfigured({}, "ingest", "accept", "--from", from, "--to", to, "--reason", reason);

  it.each([
    ["2026-01-02", "2026-01-02", "seen", /--from 2026-01-02 is not before --to 2026-01-02/],
    ["2026-01-03", "2026-01-02", "seen", /--from 2026-01-03 is not before --to 2026-01-02/],
    ["2026-01-02", "2100-01-01", "seen", /--to 2100-01-01 has not closed yet/],
    ["2026-01-02", "2026-01-03", " ", /--reason has 1 characters; expected 1 to/],
    ["soon", "2026-01-03", "seen", /"soon" is not a time/],
  ])("from %s to %s for %j is refused", async (from, to, reason, line) => {
    expect(failure(await accept(from, to, reason), 2)).toMatch(line);
  });

  it("is validated without refusing the rest of a range", async () => {
    const { code, err } = await accept("2026-01-02", "2026-01-03");
    expect([code, err]).toEqual([0, expect.not.stringContaining("error")]);
  });
});

describe("a home", () => {
  it("that others may write to, or whose path the database would misread, is refused", async () => {
    const open = join(home.folder, "open");
    mkdirSync(open);
    chmodSync(open, 0o777);
    const file = home.write("good.ndjson", formatLines([good]));
    const inOpen = await home.run(["--home", open, "import", file]);
    expect(failure(inOpen, 2)).toMatch(/has mode 777, expected 700: .*run chmod 700/);
    for (const [name, found] of [
      ["a[b]", "["],
      ["a\\b", "\\"],
    ] as const) {
      const pattern = await home.run(["--home", join(home.folder, name), "import", file]);
      expect(failure(pattern, 2)).toContain(`has a ${found} in its path`);
    }
  });

  it("that is empty prints what to run first", async () => {
    const outcome = await home.run(["--home", join(home.folder, "new"), "sql", "select 1"]);
    expect(failure(outcome, 1)).toMatch(
      /nothing published yet: .*run auditlake --home \S+ ingest or import first/,
    );
  });

  it("with a mistyped name is distinguished from an empty one by status", async () => {
    const mistyped = await home.run(["--home", join(home.folder, "mistyped"), "status"]);
    expect(mistyped.code).toBe(0);
    expect(mistyped.out).toMatch(/the home does not exist. Check --home, AUDITLAKE_HOME/);
    const empty = join(home.folder, "empty");
    mkdirSync(empty, { mode: 0o700 });
    const { out } = await home.run(["--home", empty, "status"]);
    expect(out).toMatch(
      /nothing published yet. Start with one of\n {2}auditlake --home \S+ ingest/,
    );
  });
});
