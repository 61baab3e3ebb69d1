import { onTestFinished } from "vitest";
import {
  startMessaging,
  type MessagingDestination,
} from "../../../../fixtures/destinations/messaging.ts";
import {
  startWebhook,
  type WebhookDestination,
} from "../../../../fixtures/destinations/webhook.ts";
import type { World } from "../../../../pipeline/base/world.ts";
import { keptCopy } from "../../../support/empty-warehouse.ts";
import { readCopy, newHome, type TestHome } from "../../../support/home.ts";
import type { Outcome } from "../../../support/command.ts";

/** A home with data, two reports of its own, and targets of every kind but the marketing cloud. */
export type Setting = {
  readonly home: TestHome;
  readonly service: MessagingDestination;
  readonly receiver: WebhookDestination;
  /** Arguments and environment of an export, for a process of its own. */
  readonly argv: (...more: string[]) => string[];
  readonly env: Readonly<Record<string, string>>;
  readonly run: (argv: readonly string[], world?: Partial<World>) => Promise<Outcome>;
};

/** Recipients: rows of numbers, the second not valid if `withInvalid`. */
export function phones(count: number, withInvalid = false): string {
  const numbers = Array.from({ length: count }, (_, at) => `('${number(at + 1)}')`);
  if (withInvalid) numbers.push("('nobody')");
  return [
    "-- title: Recipients",
    "-- grain: one row per number",
    "-- param: since timestamp = 7d",
    "select phone_number, cast($since as timestamp) as since",
    `from (values ${numbers.join(", ")}) as people (phone_number)`,
    "order by phone_number desc, since",
  ].join("\n");
}

/** The nth number, from 1. */
export function number(n: number): string {
  return `+1631555${String(n).padStart(4, "0")}`;
}

const events = [
  { id: "a", time: 1_763_600_000, event_name: "job_kill", user_id: 1 },
  { id: "b", time: 1_763_690_000, event_name: "job_kill", user_id: 2 },
];

const byDay = [
  "-- title: Events",
  "-- grain: one row per event",
  "-- param: since timestamp = 2025-11-19",
  "-- param: until timestamp = 2025-11-22",
  "select event_time, event_name, user_id from events",
  "where event_time >= cast($since as timestamp) and event_time < cast($until as timestamp)",
  "order by event_time, event_name, user_id",
].join("\n");

let original: Pick<TestHome, "home"> | undefined;

// Loaded once for all files of tests: each test works on a copy.
async function homeWithData(): Promise<TestHome> {
  if (original !== undefined) return readCopy(original);
  using home = newHome();
  const loaded = await home.load(events);
  if (loaded.code !== 0) throw new Error(loaded.err);
  original = keptCopy(home.home);
  return readCopy(original);
}

export async function newSetting(): Promise<Setting> {
  const home = await homeWithData();
  const service = await startMessaging();
  const receiver = await startWebhook();
  onTestFinished(async () => {
    await service[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
    home[Symbol.dispose]();
  });
  const chat = {
    type: "messaging_business",
    authentication: "chat",
    access_token: "__SAVED__",
    base_url: service.url,
    version: service.version,
    messaging_product: "messages",
    phone_number_id: "7001",
    text_content: "Look at the denials.",
  };
  const targets = {
    chat,
    hook: {
      type: "webhook",
      url: `${receiver.url}/in/CANARY-path`,
      authentication: "hook",
      secret: "__SAVED__",
      outputs: {
        columns: ["event_name", { column: "user_id", as: "user" }],
        string_builder: [{ as: "segment", value: "segment_id" }],
      },
    },
    lake: { type: "file", folder: "out", format: "ndjson", partition_by_day: "event_time" },
  };
  const authentications = { chat: { env: "CHAT" }, hook: { env: "HOOK" } };
  const config = home.write("auditlake.json", JSON.stringify({ targets, authentications }));
  home.write("queries/phones.sql", phones(5));
  home.write("queries/happened.sql", byDay);
  const env = {
    CHAT: JSON.stringify({ access_token: service.token }),
    HOOK: JSON.stringify({ secret: receiver.secret }),
    AUDITLAKE_QUERIES: `${home.folder}/queries`,
  };
  const argv = (...more: string[]): string[] => ["--config", config, "export", ...more];
  return {
    home,
    service,
    receiver,
    argv,
    env,
    run: (given, world) => home.run(argv(...given), { env, ...world }),
  };
}
