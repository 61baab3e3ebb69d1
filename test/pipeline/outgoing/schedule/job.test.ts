import { expect, test } from "vitest";
import { listJobs } from "../../../../pipeline/outgoing/schedule/job.ts";
import { quoteWords } from "../../../../pipeline/base/command-line.ts";
import { scheduleSchema } from "../../../../schemas/schedule.ts";

function listWords(job: object): string {
  const [found] = listJobs(scheduleSchema.parse({ jobs: { a: { cron: "none", ...job } } }));
  return quoteWords(found!.argv);
}

test.each([
  [{ activate: "new" }, "activate new"],
  [{ activate: "new", retry_refused: true }, "activate new --retry-refused"],
  [
    { activate: { name: "new", params: { from: "2" }, yes: true, retry_refused: true } },
    "activate new --param from=2 --yes --retry-refused",
  ],
  [
    { activate: { from_workflow: "flow.yml", allow_empty: true, resend_uncertain: true } },
    "activate --from-workflow flow.yml --allow-empty --resend-uncertain",
  ],
  [{ activate: { name: "new", accept_refused: true } }, "activate new --accept-refused"],
  [{ ingest: { source: "prod", lake: true } }, "ingest --source prod --lake"],
  [{ ingest: {} }, "ingest"],
  [{ ingest: { confirm: true } }, "ingest --confirm"],
  [{ policy_snapshot: { source: "prod" } }, "policy snapshot --source prod"],
  [{ page: { out: "a", since: "7d", mail: "us" } }, "page --out a --since 7d --mail us"],
  [{ page: { out: "a", name: "team" } }, "page --out a --name team"],
  [
    { report: { names: "all", out: "out", format: "tsv" } },
    "report run --all --out out --format tsv",
  ],
  [
    { report: { names: ["a", "b"], out: "out", until: "now", dated: true, meta: true } },
    "report run a b --out out --until now --dated --meta",
  ],
  [
    { report: { names: ["a"], out: "a.csv", source: "prod", fail_on_rows: true } },
    "report run a --out a.csv --source prod --fail-on-rows",
  ],
  [{ lake: {} }, "lake publish"],
  [{ lake: { full: true } }, "lake publish --full"],
  [{ export: { table: "denials", to: "lake" } }, "export --table denials --to lake"],
  [{ export: { file: "own.sql", to: "lake", yes: true } }, "export --file own.sql --to lake --yes"],
  [
    { export: { report: "denials_list", to: "lake", params: { user: "a b" } } },
    "export denials_list --to lake --param 'user=a b'",
  ],
])("the job %j is %s", (given, words) => {
  expect(listWords(given)).toBe(words);
});

test.each([
  [{ activate: {} }, /expected name, from_workflow, or both/],
  [{ export: { to: "lake" } }, /expected exactly one of report, table and file/],
  [{ export: { report: "a", table: "b", to: "lake" } }, /expected exactly one of report, table/],
])("the job %j is refused", (given, message) => {
  expect(() => listWords(given)).toThrow(message);
});

// Seed 002, C: a top-level timezone.
test("a job runs in the zone of its workflow, unless it has one of its own", () => {
  const jobs = {
    own: { cron: "@daily", timezone: "UTC", activate: { from_workflow: "a.yml" } },
    its: { cron: "@daily", activate: { from_workflow: "a.yml" } },
    none: { cron: "@daily", activate: { from_workflow: "b.yml" } },
  };
  const readZone = (file: string) => (file === "a.yml" ? "Asia/Tokyo" : undefined);
  const found = listJobs(scheduleSchema.parse({ timezone: "Europe/Oslo", jobs }), {
    findZone: readZone,
  });
  const zones = Object.fromEntries(found.map(({ name, timezone }) => [name, timezone]));
  expect(zones).toEqual({ own: "UTC", its: "Asia/Tokyo", none: "Europe/Oslo" });
});
