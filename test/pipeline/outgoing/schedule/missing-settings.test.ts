import { afterAll, beforeAll, expect, it } from "vitest";
import { listConfiguredJobs } from "../../../../pipeline/outgoing/schedule/jobs.ts";
import { listMissing } from "../../../../pipeline/outgoing/schedule/missing-settings.ts";
import { newHome, type TestHome } from "../../../support/home.ts";
import { testWorld } from "../../../support/world.ts";
import { settingsIn } from "./settings.ts";

let home: TestHome;
beforeAll(() => {
  home = newHome();
});
afterAll(() => home[Symbol.dispose]());

const whole = { base_url: "https://a.example", api_key_file: "key" };
const bare = { api_key_env: "OTHER_KEY" };
const hook = (authentication: string) => ({
  type: "webhook",
  url: "https://soc.example.com",
  secret: "__SAVED__",
  authentication,
});
const env = { AUDITLAKE_SOURCE: "bare", AUDITLAKE_BASE_URL: "https://b.example", OTHER_KEY: "k" };

function listMessages(ingest: object, more: object = {}): string[] {
  const config = {
    sources: { bare, whole },
    authentications: { used: { env: "USED" }, unused: { env: "UNUSED" }, kept: { file: "kept" } },
    targets: { one: hook("used"), two: hook("kept"), three: hook("used") },
    schedule: { notify: "one", jobs: { daily: { cron: "@daily", ingest } } },
    ...more,
  };
  // A flag of the command that installs is none of the job.
  const settings = settingsIn(home, config, { source: "bare" });
  return listMissing(listConfiguredJobs(settings), settings, testWorld({ env }));
}

const used =
  'authentications.used is in the environment variable USED, which cron and systemd do not pass on; put it into a file with mode 600 and set {"file": "…"}';
const address =
  "sources.bare.base_url is missing, and cron and systemd do not pass on AUDITLAKE_BASE_URL; set it";
const key =
  "sources.bare: the key is in the environment variable OTHER_KEY, which cron and systemd do not pass on; put it into a file with mode 600 and set sources.bare.api_key_file";

it.each([
  [{ source: "whole" }, [used]],
  [{ source: "bare" }, [address, key, used]],
  [{}, [address, key, used]],
  [{ source: "nosuch" }, ["job daily: source nosuch is not configured; known: bare, whole", used]],
])(
  "an ingest of %j is reported once with the settings that a timer does not inherit",
  (ingest, expected) => {
    expect(listMessages(ingest)).toEqual(expected);
  },
);

it("the sources of policies are checked, and the store of a lake that a job publishes to", () => {
  const location = { location: "s3://audit/lake", endpoint: "https://objects.example" };
  const by = (jobs: object, lake: object = location): string[] =>
    listMessages({}, { lake, schedule: { notify: "two", jobs } });
  const cron = "@daily";
  expect(by({ a: { cron, policy_snapshot: { source: "bare" } } })).toEqual([address, key, used]);
  expect(by({ a: { cron, policy_snapshot: {} } })).toEqual([
    "job a: several sources are configured (bare, whole); choose one with --source",
    used,
  ]);
  const store =
    "lake: the key is in the environment variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, which cron and systemd do not pass on; put it into a file with mode 600 and set lake.credentials_file";
  for (const job of [{ lake: {} }, { ingest: { source: "whole", lake: true } }]) {
    expect(by({ a: { cron, ...job } })).toEqual([store, used]);
    expect(by({ a: { cron, ...job } }, { ...location, credentials_file: "c" })).toEqual([used]);
    expect(by({ a: { cron, ...job } }, { location: "/srv/lake" })).toEqual([used]);
  }
});

it("a schedule without targets is reported with the setting, and without reading jobs nothing else is", () => {
  const report = { names: ["denials_list"], out: "d.csv" };
  const jobs = { morning: { cron: "@daily", report } };
  expect(listMessages({}, { targets: {}, schedule: { jobs } })).toEqual([
    "schedule.notify is not set: no target is notified of a failed job; set it to a webhook from targets",
  ]);
});
