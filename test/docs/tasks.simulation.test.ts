import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toLoggedEvent, type AuditRecord } from "../../fixtures/record.ts";
import { startService, type Service } from "../../fixtures/service.ts";
import { newHome, type TestHome } from "../support/home.ts";
import type { Outcome } from "../support/command.ts";
import { readingTexts } from "../support/command.ts";
import { projectPath } from "./pages.ts";

// Every task of docs/tasks.md, as a user types it, with what proves that the answer is one.

const nowMs = Date.UTC(2026, 2, 5, 6);
const page = readFileSync(projectPath("docs/tasks.md"), "utf8");
const tasks = page
  .split("\n## ")
  .slice(1)
  .flatMap((section) => {
    const [group = "", ...lines] = section.split("\n");
    const rows = lines.flatMap((line) => /^\| (.+) \| `auditlake (.+)` \|$/.exec(line) ?? []);
    return Array.from({ length: rows.length / 3 }, (_, i) => ({
      group,
      question: rows[i * 3 + 1]!,
      command: rows[i * 3 + 2]!,
    }));
  });

let home: TestHome;
let service: Service;
let before: string;
beforeAll(async () => {
  home = newHome();
  const records = readFileSync("fixtures/golden/records.ndjson", "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as AuditRecord);
  const directory = JSON.parse(readFileSync("fixtures/golden/users.json", "utf8")) as {
    users: unknown[];
  };
  service = await startService({
    records: records.map((record) => toLoggedEvent(record, Number(record.time) * 1000)),
    users: directory.users,
    apiKey: "tasks",
    now: () => nowMs,
  });
  home.write("auditlake.json", JSON.stringify(buildConfig(service.url)));
  before = process.cwd();
  // The files that a command names are in the working directory.
  process.chdir(home.folder);
  const { code, err } = await ask("ingest --from 2026-03-01 --to 2026-03-05", readingTexts);
  expect(code, err).toBe(0);
});
afterAll(async () => {
  process.chdir(before);
  await service.close();
  home[Symbol.dispose]();
});

function buildConfig(url: string): object {
  const denials = {
    activation_actions_table: "denials",
    id_key: "event_key",
    activation_mappings: [
      { delta_status: "new", connector_field: "file_name", connector_field_value: "new" },
    ],
    result_connection_name: "none",
    result_connection_settings: { type: "file", folder: "denials" },
  };
  return {
    sources: { prod: { base_url: url, api_key_file: home.write("key", "tasks") } },
    targets: { soc: { type: "file", folder: "soc" } },
    activations: { denials },
    schedule: { jobs: { nightly: { cron: "15 2 * * *", ingest: {} } } },
  };
}

function ask(command: string, env: Record<string, string> = {}): Promise<Outcome> {
  const words = [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)];
  const argv = words.map(([, double, single, bare]) => double ?? single ?? bare!);
  return home.run(argv, { env, now: () => nowMs });
}

const file = (name: string): string => readFileSync(join(home.folder, name), "utf8");

// What an answer has to contain: a pattern of the output, or a look at what was written.
const answers: Readonly<Record<string, RegExp | ((outcome: Outcome) => void)>> = {
  tables: /^query_tables /m,
  "report list": /^denials_by_actor +Denials by actor +denials/m,
  sql: /^Jobs +\d+$/m,
  "report run denials_by_actor": /@example\.com/,
  "catalog show job_issue": /POST \/v3\/job\/issue/,
  "investigate --user": /^2026-03-03 22:.*mila\.haddad@example\.com/m,
  "investigate --address": /sign_in/,
  "investigate --job": /select/i,
  "investigate --resource": /Month end/,
  "report run table_readers": /costs/,
  "report run destructive_statements": /drop|delete|overwrite/,
  "report run new_addresses": /\d+\.\d+\.\d+\.\d+/,
  "report run failed_sign_ins_then_success": /rosa\.olsen@example\.com +192\.0\.2\.202 +18/,
  "report run denials_by_day": /│█[\s\S]*2026-03-02 to 2026-03-04/,
  "report run off_hours_activity": /@example\.com/,
  "report run result_downloads": () =>
    expect(file("downloads.csv")).toMatch(/^"?noah\.costa@example\.com"?,31,30604598710/m),
  "report run self_grants": /@example\.com/,
  "access who": /@example\.com/,
  "access what": /finance/,
  "access why": /import/,
  status: /verified/,
  "status --fail-on": ({ code }) => expect([0, 3]).toContain(code),
  "ingest --dry-run": /^2026-03-0\dT00:00:00Z\t2026/,
  ingest: ({ err }) => expect(err).toMatch(/duplicates; \d+ requests/),
  "ingest --from": ({ err }) => expect(err).toMatch(/verified complete from 2026-03-02/),
  doctor: /reports/,
  "schedule install": /^15 2 \* \* \* .*schedule run --scheduled nightly$/m,
  "config show": /sources\.prod\.base_url/,
  "prune --before": /page/,
  "status --format": /^auditlake_\w+\{source="prod"\} \d/m,
  "catalog coverage": /column_query/,
  "catalog show 'DELETE": /query_delete/,
  "tables --format": () =>
    expect(JSON.parse(file("contract.json"))).toContainEqual(
      expect.objectContaining({ table: "events", column: "event_key" }),
    ),
  "connect python": /duckdb\.connect/,
  "report run denials_list": () => expect(file("denials.parquet").slice(0, 4)).toBe("PAR1"),
  "report run --all": () => {
    const meta = JSON.parse(file("reports/2026-03-05/denials_list.csv.meta.json")) as object;
    expect(meta).toMatchObject({ parameters: { since: "2026-03-03T00:00:00Z" } });
  },
  "export denials_by_actor": () => expect(existsSync(join(home.folder, "soc"))).toBe(true),
  "activate denials": ({ err }) => expect(err).toMatch(/new/),
  "sql --explain": /SCAN|Scan/,
  rebuild: ({ err }) => expect(err).toMatch(/digest/),
};

test("there are five tasks for the first day, fifteen for analysts, ten for operators and ten for engineers", () => {
  const groups = [...Map.groupBy(tasks, ({ group }) => group).values()];
  expect(groups.map((group) => group.length)).toEqual([5, 15, 10, 10]);
  expect(new Set(tasks.map(({ command }) => command)).size).toBe(40);
  expect(Object.keys(answers)).toHaveLength(40);
});

describe("one command answers the task", () => {
  test.each(tasks)("$question", async ({ command }) => {
    // The longest prefix is the most specific one.
    const [key] = Object.keys(answers)
      .filter((name) => command === name || command.startsWith(`${name} `))
      .toSorted((a, b) => b.length - a.length);
    const expected = answers[key ?? ""]!;
    const outcome = await ask(command);
    const { code, out, err } = outcome;
    if (typeof expected === "function") {
      if (key !== "status --fail-on") expect(code, err).toBe(0);
      expected(outcome);
    } else {
      expect(code, err).toBe(0);
      expect(out || err).toMatch(expected);
    }
  });
});
