import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startWebhook, type WebhookDestination } from "../../../fixtures/destinations/webhook.ts";
import { newHome, type TestHome } from "../../support/home.ts";
import { spawnCommand } from "../../support/killed.ts";

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

function configured(schedule: object, more: object = {}): string {
  const hook = { type: "webhook", url: receiver.url, authentication: "hook", secret: "__SAVED__" };
  const lake = { type: "file", folder: "out" };
  const authentications = { hook: { env: "HOOK" } };
  const targets = { hook, lake };
  const config = { targets, authentications, schedule: { jobs, ...schedule }, ...more };
  return home.write("auditlake.json", JSON.stringify(config));
}

test("jobs that cron starts in the same minute lose nothing of each other", async () => {
  const names = ["a", "b", "c"];
  const same = Object.fromEntries(names.map((name) => [name, jobs.broken]));
  const file = configured({ notify: "hook", jobs: same });
  const env = { HOOK: JSON.stringify({ secret: receiver.secret }) };
  const argv = ["--home", home.home, "--config", file, "--quiet", "schedule", "run", "--scheduled"];
  const children = names.map((name) => spawnCommand([...argv, name], env));
  await Promise.all(children.map((child) => once(child, "close")));
  expect(receiver.rows().map(({ job }) => job)).toHaveLength(names.length);
  expect(new Set(receiver.rows().map(({ job }) => job))).toEqual(new Set(names));
  const state = JSON.parse(readFileSync(join(home.home, "schedule/state.json"), "utf8")) as {
    jobs: Record<string, { failures: number }>;
  };
  expect(names.map((name) => state.jobs[name]?.failures)).toEqual([1, 1, 1]);
});
