import { formatNotice } from "../../../../pipeline/base/notice/notice.ts";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import {
  startDestination,
  type Destination,
} from "../../../../fixtures/destinations/destination.ts";
import {
  startWebhook,
  type WebhookDestination,
} from "../../../../fixtures/destinations/webhook.ts";
import type { Settings } from "../../../../pipeline/base/home/settings.ts";
import {
  checkNotify,
  newSender,
  describeUnsent,
} from "../../../../pipeline/outgoing/schedule/notify.ts";
import type { Notice } from "../../../../pipeline/outgoing/schedule/notice.ts";
import { newHome, type TestHome } from "../../../support/home.ts";
import { testWorld } from "../../../support/world.ts";
import { settingsIn } from "./settings.ts";

// What a notice is to each target, and what is reported if one does not receive it.

let home: TestHome;
let hook: WebhookDestination;
let chat: Destination;
beforeAll(async () => {
  home = newHome();
  hook = await startWebhook();
  chat = await startDestination(() => ({ status: 200 }));
});
beforeEach(() => {
  for (const each of [hook, chat]) each.fault(undefined);
});
afterAll(async () => {
  await Promise.all([hook, chat].map((each) => each[Symbol.asyncDispose]()));
  home[Symbol.dispose]();
});

const newNoticed = (notify: string | readonly string[] | undefined): Settings =>
  settingsIn(home, {
    targets: {
      hook: { type: "webhook", url: hook.url, secret: hook.secret },
      room: { type: "webhook", url: chat.url, body: "text" },
      signed: { type: "webhook", url: chat.url, secret: "__SAVED__", authentication: "signed" },
    },
    authentications: { signed: { env: "SIGNED" } },
    schedule: notify === undefined ? {} : { notify },
  });

const plain: Notice = {
  id: "schedule-daily-failed-1",
  job: "daily",
  state: "failed",
  exit_code: 1,
  cause: "locked",
  source: "prod",
  run_id: "r1",
  configuration_failures: 0,
  disable_after: 5,
  due_ms: Date.parse("2026-11-21T02:15:00Z"),
  finished_ms: Date.parse("2026-11-21T02:16:40.700Z"),
  message: "daily: failed (exit code 1)",
  more: "auditlake status",
  counts: null,
  table: null,
  sent_to: [],
};
const full: Notice = {
  ...plain,
  id: "schedule-daily-refused-2",
  state: "refused",
  counts: { accepted: 3, refused: 2, doubtful: 1 },
  table: { columns: ["user_id", "why"], rows: [["7", "gone"]] },
};

/** Sends a notice, and returns who was marked as having it, and what it ended with. */
async function sendNotice(notice: Notice, notify: readonly string[]): Promise<unknown[]> {
  const marked: string[] = [];
  const send = newSender(newNoticed(notify), testWorld(), () => undefined)!;
  const mark = (name: string): Promise<void> => Promise.resolve(void marked.push(name));
  const fault = await send(notice, mark).catch((error: unknown) => String(error));
  return [marked, fault];
}

it("a notice is one row to a webhook and one message to a chat, with its known values only", async () => {
  const common = {
    job: "daily",
    exit_code: 1,
    cause: "locked",
    source: "prod",
    run_id: "r1",
    configuration_failures: 0,
    disable_after: 5,
    due_at: "2026-11-21T02:15:00Z",
    finished_at: "2026-11-21T02:16:40Z",
    message: "daily: failed (exit code 1)",
    more: "auditlake status",
  };
  for (const notice of [plain, full])
    expect(await sendNotice(notice, ["hook", "room"])).toEqual([["hook", "room"], undefined]);
  expect(hook.rows()).toEqual([
    { ...common, state: "failed" },
    {
      ...common,
      state: "refused",
      accepted: 3,
      refused: 2,
      doubtful: 1,
      table: '{"columns":["user_id","why"],"rows":[["7","gone"]]}',
    },
  ]);
  expect(hook.arrived().map(({ delivery }) => delivery)).toEqual([plain.id, full.id]);
  const [first, second] = chat.calls.map(({ body }) => (JSON.parse(body) as { text: string }).text);
  expect(first!.split("\n")).toEqual([
    "auditlake: daily failed",
    "daily: failed (exit code 1)",
    "scheduled: 2026-11-21T02:15:00Z",
    "see: auditlake status",
  ]);
  expect(second!.split("\n").map((line) => line.trim().replaceAll(/ +/g, " "))).toEqual([
    "auditlake: daily refused",
    "daily: failed (exit code 1)",
    "3 arrived, 2 refused, 1 uncertain",
    "scheduled: 2026-11-21T02:15:00Z",
    "see: auditlake status",
    "user_id why",
    "7 gone",
  ]);
});

it.each<[what: string, failing: readonly string[], had: readonly string[], ...unknown[]]>([
  [
    "who fails keeps no other from hearing",
    ["hook"],
    [],
    ["room"],
    /^AuditlakeError: hook: it rejected/,
  ],
  [
    "what is said is the first of several",
    ["hook", "room"],
    [],
    [],
    /^AuditlakeError: hook: it rejected/,
  ],
  ["a target that has it is not sent it again", ["hook"], ["hook"], ["room"], undefined],
  ["no target is sent what all have", ["hook", "room"], ["room", "hook"], [], undefined],
])("%s", async (_, failing, had, marked, fault) => {
  for (const [name, each] of Object.entries({ hook, room: chat }))
    if (failing.includes(name)) each.fault(() => ({ status: 422 }));
  expect(await sendNotice({ ...plain, sent_to: [...had] }, ["hook", "room"])).toEqual([
    marked,
    fault === undefined ? undefined : expect.stringMatching(fault as RegExp),
  ]);
});

it("a notice has no sender if the configuration names none", () => {
  expect(newSender(newNoticed(undefined), testWorld(), () => undefined)).toBeUndefined();
});

it("a notice needs the credentials of its targets only", () => {
  const check = (...notify: string[]) => checkNotify(newNoticed(notify), testWorld());
  expect(() => check("hook", "room")).not.toThrow();
  expect(() => check("hook", "signed")).toThrow("(environment variable SIGNED) is empty");
  expect(() => checkNotify(newNoticed(undefined), testWorld())).not.toThrow();
});

it.each([
  ["hook", "the disk is full", "hook may not have received a notification: the disk is full;"],
  [
    ["hook", "room"],
    "hook: answered 403",
    "hook, room may not have received a notification: hook: answered 403;",
  ],
])("a notice %j with the fault %j is reported as perhaps not arrived", (notify, fault, said) => {
  expect(formatNotice(describeUnsent(newNoticed(notify), new Error(fault)))).toBe(
    `${said} it is retained and sent again`,
  );
});
