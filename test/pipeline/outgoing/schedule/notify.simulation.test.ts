import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { listJobs } from "../../../../pipeline/outgoing/schedule/job.ts";
import { scheduleSchema } from "../../../../schemas/schedule.ts";
import { failureLine } from "../../../support/failure.ts";
import { spawnCommand } from "../../../support/killed.ts";
import { jobs, newListener } from "./listener.ts";

// Who is notified of jobs that a schedule runs by itself.

const listener = newListener();
const { configured } = listener;

/** Runs the schedule, its job overdue and failed so many times before, until `ended`; returns what it said. */
async function runUntil(ended: (printed: string) => boolean, failures: number): Promise<string> {
  const file = configured({ notify: "hook", disable_after: 2 });
  const [job] = listJobs(scheduleSchema.parse({ jobs }));
  const never = { started_ms: null, finished_ms: null, exit_code: null, disabled_ms: null };
  const handled_ms = Date.now() - 3_600_000;
  const state = { fingerprint: job!.fingerprint, handled_ms, failures, ...never };
  listener.home.write("home/schedule.json", JSON.stringify({ jobs: { broken: state } }));
  const argv = ["--home", listener.home.home, "--config", file, "schedule", "run"];
  const child = spawnCommand(argv, listener.env());
  let printed = "";
  child.stderr!.on("data", (part: Buffer) => (printed += part.toString()));
  while (!ended(printed) && child.exitCode === null) await pause(20);
  child.kill("SIGTERM");
  await once(child, "close");
  return printed;
}

// Seed 002, D, rule 3, and Errors, rule 6.
test("a failed and disabled job is sent to a webhook", async () => {
  const printed = await runUntil(() => listener.receiver.rows().length > 0, 1);
  expect(listener.receiver.rows(), printed).toEqual([
    {
      job: "broken",
      state: "disabled",
      exit_code: 2,
      cause: expect.stringMatching(/^activation nosuch is not configured/),
      source: null,
      run_id: null,
      configuration_failures: 2,
      disable_after: 2,
      due_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:00:00Z$/),
      finished_at: expect.stringMatching(/Z$/),
      message: expect.stringMatching(
        /failed because of its configuration .*2 of 2.*; broken: disabled/,
      ),
      more: expect.stringMatching(/^\/.*bin\.[jt]s --config \/.* --home \/.* schedule list$/),
    },
  ]);
  expect(listener.receiver.arrived()[0]).toMatchObject({ target: "hook", batch: 1, last: true });
});

test("a notice that does not arrive is reported, and the schedule continues", async () => {
  listener.receiver.fault(() => ({ status: 403 }));
  const printed = await runUntil((text) => text.includes("warning: hook"), 0);
  expect(printed).toMatch(
    /broken: failed because of its configuration \(exit code 2\), attempt 1 of 2/,
  );
  expect(printed).toMatch(
    /warning: hook may not have received a notification: .*answered 403.*is retained/,
  );
});

test("notify requires a webhook whose secret is available", async () => {
  const lines = [];
  for (const notify of ["lake", "nosuch", "hook"]) {
    const file = configured({ notify });
    lines.push(failureLine(await listener.home.run(["--config", file, "schedule", "run"]), 2, []));
  }
  expect(lines[0]).toMatch(
    /schedule.notify: found "lake"; expected a webhook or email under targets: hook/,
  );
  expect(lines[1]).toMatch(/schedule.notify: found "nosuch"; expected a webhook or email/);
  expect(lines[2]).toMatch(/authentication hook \(environment variable HOOK\) is empty/);
});
