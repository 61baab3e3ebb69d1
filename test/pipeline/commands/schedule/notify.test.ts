import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  startWebhook,
  type WebhookDestination,
} from "../../../../fixtures/destinations/webhook.ts";
import { jobsOf } from "../../../../pipeline/schedule/job.ts";
import { scheduleSchema } from "../../../../schemas/schedule.ts";
import { failureLine } from "../../../support/failure.ts";
import { newHome, type TestHome } from "../../../support/home.ts";
import { spawnCommand } from "../../../support/killed.ts";

let home: TestHome;
let receiver: WebhookDestination;

beforeEach(async () => {
  home = newHome();
  receiver = await startWebhook();
});
afterEach(async () => {
  await receiver[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

const jobs = { broken: { cron: "@hourly", activate: "nosuch" } };

function configured(schedule: object): string {
  const hook = { type: "webhook", url: receiver.url, authentication: "hook", secret: "__SAVED__" };
  const lake = { type: "file", folder: "out" };
  const authentications = { hook: { env: "HOOK" } };
  const config = { targets: { hook, lake }, authentications, schedule: { jobs, ...schedule } };
  return home.write("auditlake.json", JSON.stringify(config));
}

/** Runs the schedule, its job overdue and failed so many times before, until `ended`; returns what it said. */
async function runUntil(ended: (said: string) => boolean, failures: number): Promise<string> {
  const file = configured({ notify: "hook", disable_after: 2 });
  const [job] = jobsOf(scheduleSchema.parse({ jobs }));
  const never = { started_ms: null, finished_ms: null, exit_code: null, disabled_ms: null };
  const handled_ms = Date.now() - 7_200_000;
  const state = { fingerprint: job!.fingerprint, handled_ms, failures, ...never };
  home.write("home/schedule.json", JSON.stringify({ jobs: { broken: state } }));
  const env = { HOOK: JSON.stringify({ secret: receiver.secret }) };
  const child = spawnCommand(["--home", home.home, "--config", file, "schedule", "run"], env);
  let said = "";
  child.stderr!.on("data", (part: Buffer) => (said += part.toString()));
  while (!ended(said) && child.exitCode === null) await pause(20);
  child.kill("SIGTERM");
  await once(child, "close");
  return said;
}

// Seed 002, D, rule 3, and Errors, rule 6.
test("a webhook hears of a job that failed and was disabled", async () => {
  const said = await runUntil(() => receiver.rows().length > 0, 1);
  expect(receiver.rows(), said).toEqual([
    {
      job: "broken",
      state: "disabled",
      exit_code: 2,
      configuration_failures: 2,
      disable_after: 2,
      due_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:00:00Z$/),
      finished_at: expect.stringMatching(/Z$/),
      message: expect.stringMatching(/failed over its configuration .*2 of 2.*; broken: disabled/),
    },
  ]);
  expect(receiver.arrived()[0]).toMatchObject({ target: "hook", batch: 1, last: true });
});

test("a notice that does not arrive is said, and the schedule goes on", async () => {
  receiver.fault(() => ({ status: 403 }));
  const said = await runUntil((text) => text.includes("warning: hook"), 0);
  expect(said).toMatch(/broken: failed over its configuration \(exit code 2\), 1 of 2 times/);
  expect(said).toMatch(/warning: hook may not have heard of broken: .*answered 403/);
});

test("notify has to be a webhook whose secret is there", async () => {
  const lines = [];
  for (const notify of ["lake", "nosuch", "hook"]) {
    const file = configured({ notify });
    lines.push(failureLine(await home.run(["--config", file, "schedule", "run"]), 2, []));
  }
  expect(lines[0]).toMatch(/schedule.notify: found "lake"; expected a webhook under targets: hook/);
  expect(lines[1]).toMatch(/schedule.notify: found "nosuch"; expected a webhook/);
  expect(lines[2]).toMatch(/authentication hook \(environment variable HOOK\) is empty/);
});
