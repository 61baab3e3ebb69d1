import { afterEach, beforeEach } from "vitest";
import {
  startWebhook,
  type WebhookDestination,
} from "../../../../fixtures/destinations/webhook.ts";
import { childEnv } from "../../../support/child-env.ts";
import { newHome, type TestHome } from "../../../support/home.ts";

/** A job that fails over its configuration whenever it runs. */
export const jobs = { broken: { cron: "@hourly", activate: "nosuch" } };

/** A home, and a webhook that hears of its jobs. */
export type Listener = {
  readonly home: TestHome;
  readonly receiver: WebhookDestination;
  /** What processes have to know of the webhook. */
  readonly env: () => Record<string, string>;
  /** Writes the configuration, and returns its file. */
  readonly configured: (schedule: object, more?: object) => string;
  /** Runs a verb of the schedule to its end, as cron would; returns its exit code and what it said. */
  readonly called: (
    file: string,
    verb: readonly string[],
    more?: Record<string, string>,
  ) => Promise<{ code: number; printed: string }>;
};

/** Prepares both before each test. */
export function newListener(): Listener {
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
  const env = (): Record<string, string> => ({ HOOK: JSON.stringify({ secret: receiver.secret }) });
  return {
    get home() {
      return home;
    },
    get receiver() {
      return receiver;
    },
    env,
    configured: (schedule, more = {}) =>
      home.write(
        "auditlake.json",
        JSON.stringify({ ...buildConfig(receiver.url, schedule), ...more }),
      ),
    called: async (file, verb, more = {}) => {
      const argv = ["--config", file, "--quiet", "schedule", ...verb];
      const { code, err } = await home.run(argv, { env: childEnv({ ...env(), ...more }) });
      return { code, printed: err };
    },
  };
}

function buildConfig(url: string, schedule: object): object {
  const hook = { type: "webhook", url, authentication: "hook", secret: "__SAVED__" };
  const targets = { hook, lake: { type: "file", folder: "out" } };
  return {
    targets,
    authentications: { hook: { env: "HOOK" } },
    schedule: { jobs, ...schedule },
  };
}
