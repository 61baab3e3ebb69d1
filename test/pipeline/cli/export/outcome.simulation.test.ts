import { chmodSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { failureLine } from "../../../support/failure.ts";
import { newSetting, phones, type Setting } from "./setting.ts";

type Summary = { readonly runs: readonly Readonly<Record<string, unknown>>[] };

function readSummary(path: string): Summary {
  return JSON.parse(readFileSync(path, "utf8")) as Summary;
}

const readRuns = ({ home }: Setting) =>
  home.rows(
    "select verb, name, target, connector, outcome, exit_code, rows_read, accepted, refused, doubtful from delivery_runs order by started_at, run_id",
  );

describe("the outcome of an export", () => {
  it("is complete, partial or failed in the summary and in delivery_runs", async () => {
    const setting = await newSetting();
    const { home } = setting;
    const path = join(home.folder, "summary.json");
    home.write("queries/phones.sql", phones(2, true));
    const due = "2026-11-21T06:00:00.000Z";
    const chat = ["phones", "--to", "chat", "--summary", path, "--due", due];
    expect((await setting.run(chat)).code).toBe(6);
    expect(readSummary(path).runs).toEqual([
      {
        run_id: expect.stringMatching(/^.{8,}$/),
        verb: "export",
        name: "phones",
        target: "chat",
        connector: "messaging_business",
        delivery: expect.stringMatching(/^phones-.*-at-/),
        due_at: due,
        started_at: expect.stringMatching(/Z$/),
        finished_at: expect.stringMatching(/Z$/),
        outcome: "partial",
        exit_code: 6,
        rows_read: 3,
        accepted: 2,
        refused: 1,
        doubtful: 0,
        error: null,
        notes: [],
      },
    ]);
    setting.receiver.fault(() => ({ status: 401 }));
    const hook = ["happened", "--to", "hook", "--summary", "-"];
    const failed = await setting.run(hook);
    expect(failed.code).toBe(4);
    expect((JSON.parse(failed.out) as Summary).runs[0]).toMatchObject({
      outcome: "failed",
      exit_code: 4,
      error: expect.stringMatching(/answered 401; nothing was delivered/),
    });
    // A dry run is none.
    expect((await setting.run(["happened", "--to", "lake", "--dry-run"])).code).toBe(0);
    const counts = { exit_code: 0, rows_read: "2", accepted: "2", refused: "0", doubtful: "0" };
    expect((await setting.run(["happened", "--to", "lake"])).code).toBe(0);
    const none = { rows_read: "0", accepted: "0" };
    const part = { rows_read: "3", accepted: "2", refused: "1" };
    const chatRun = {
      verb: "export",
      name: "phones",
      target: "chat",
      connector: "messaging_business",
    };
    const own = { verb: "export", name: "happened" };
    expect(await readRuns(setting)).toEqual([
      { ...chatRun, outcome: "partial", ...counts, exit_code: 6, ...part },
      {
        ...own,
        target: "hook",
        connector: "webhook",
        outcome: "failed",
        ...counts,
        exit_code: 4,
        ...none,
      },
      { ...own, target: "lake", connector: "file", outcome: "delivered", ...counts },
    ]);
    const { out } = await home.run(["status", "--format", "prometheus"]);
    expect(out).toMatch(
      /^auditlake_delivery_exit_code\{verb="export",name="phones",target="chat"\} 6$/m,
    );
    expect(out).toMatch(
      /^auditlake_delivery_refused_rows\{verb="export",name="phones",target="chat"\} 1$/m,
    );
    expect(out).toMatch(
      /^auditlake_delivery_timestamp_seconds\{verb="export",name="happened",target="lake"\} \d+/m,
    );
    const status = await home.run(["status"]);
    expect(status.out).toMatch(
      /last deliveries\n.*\n.*\n(?:.*\n)*phones +export +chat +\S+ \S+ +partial +2, 1 refused/,
    );
  });
});

describe("seed 002, Endpoints, rule 5: --result", () => {
  const keys = { type: "file", folder: "given", format: "ndjson" };

  it("takes the connector's keys, and follows them", async () => {
    const { run, home } = await newSetting();
    const result = ["happened", "--result", JSON.stringify(keys), "--since", "2025-11-19"];
    expect((await run(result)).code).toBe(0);
    expect(readdirSync(join(home.folder, "given"))).toHaveLength(1);
  });

  it("takes them from a file, JSON or YAML, also as its out block", async () => {
    const { run, home, service } = await newSetting();
    const block = [
      "in: { type: query }",
      "out:",
      "  type: messaging_business",
      `  access_token: ${service.token}`,
      `  base_url: ${service.url}`,
      `  version: ${service.version}`,
      "  messaging_product: messages",
      '  phone_number_id: "7001"',
      "  text_content: Look.",
    ].join("\n");
    const path = home.write("chat.yml", block);
    const argv = ["phones", "--result", `@${path}`];
    expect((await run(argv)).code).toBe(0);
    expect(service.arrived()).toHaveLength(5);
    chmodSync(path, 0o644);
    const open = failureLine(await run(argv), 2, []);
    expect(open).toMatch(/contains a secret \(access_token\) and has mode 644, expected 600/);
    expect(open).not.toContain(service.token);
  });

  it.each([
    ['{"type": "ftp"}', /--result: type: found "ftp"; expected marketing_cloud_v2/],
    ["{", /--result is not readable YAML/],
    ["[1]", /--result is not an object; expected the keys of a connector/],
    [
      '{"type": "webhook", "url": "https://x.example", "secret": "SECRET-canary"}',
      /--result: secret holds a credential, which every user .* could read; write __SAVED__/,
    ],
    [
      '{"type": "webhook", "url": "https://x.example", "secret": "__SAVED__"}',
      /the target has no authentication/,
    ],
  ])("%s is refused", async (given, message) => {
    const { run } = await newSetting();
    const line = failureLine(await run(["happened", "--result", given]), 2, []);
    expect(line).toMatch(message);
    expect(line).not.toContain("SECRET-canary");
  });

  it("replaces --to", async () => {
    const { run } = await newSetting();
    const both = ["happened", "--to", "lake", "--result", JSON.stringify(keys)];
    expect(failureLine(await run(both), 2, [])).toMatch(/found --to and --result/);
  });
});

describe("export without a report", () => {
  it("sends a table, or a file with a statement, the file in the sandbox", async () => {
    const { run, home } = await newSetting();
    const to = ["--to", "lake", "--quiet"];
    expect((await run(["--table", "denials", ...to])).code).toBe(0);
    const sql = "select event_name, event_time, event_key from events order by event_time";
    const path = home.write("own.sql", sql);
    expect((await run(["--file", path, ...to])).code).toBe(0);
    expect(readdirSync(join(home.folder, "out"))).toEqual(["date=2025-11-20", "date=2025-11-21"]);
    const [row] = await home.rows("select name, rows_read from delivery_runs where name = 'own'");
    expect(row).toEqual({ name: "own", rows_read: "2" });
    home.write("own.sql", "select * from read_csv('/etc/passwd')");
    const line = failureLine(await run(["--file", path, "--to", "hook", "--new"]), 1, []);
    expect(line).toMatch(/own\.sql/);
    const two = failureLine(await run(["happened", "--table", "denials", ...to]), 2, []);
    expect(two).toMatch(/expected exactly one of .*, found 2$/);
    expect(failureLine(await run(["--table", "a b", ...to]), 2, [])).toMatch(/is not a table name/);
  });
});
