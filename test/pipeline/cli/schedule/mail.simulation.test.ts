import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  startDestination,
  type Destination,
} from "../../../../fixtures/destinations/destination.ts";
import { childEnv } from "../../../support/child-env.ts";
import { failureLine } from "../../../support/failure.ts";
import { newHome, type TestHome } from "../../../support/home.ts";
import {
  mailPassword,
  mailUser,
  startMailServer,
  type MailServer,
} from "../../../support/mail-server.ts";

let home: TestHome;
let server: MailServer;
let chat: Destination;
let receiver: Destination;
let status = 204;
beforeAll(async () => {
  home = newHome();
  server = await startMailServer({
    authOptional: false,
    authMethods: ["PLAIN"],
    allowInsecureAuth: true,
  });
  chat = await startDestination(() => ({ status: 200 }));
  receiver = await startDestination(() => ({ status }));
  const events = [1, 2].map((user_id) => ({
    id: `e${user_id}`,
    time: 1_763_600_000 + user_id,
    event_name: "job_kill",
    event_result: "denied",
    user_id,
  }));
  expect((await home.load(events)).code).toBe(0);
  home.write(
    "queries/found.sql",
    "-- title: Found\n-- grain: one row\nselect user_id from events order by user_id",
  );
});
afterAll(async () => {
  await Promise.all([server, chat, receiver].map((each) => each[Symbol.asyncDispose]()));
  home[Symbol.dispose]();
});

function runConfigured(jobs: object, more: object = {}): string {
  const password_file = home.write("mail.json", JSON.stringify({ password: mailPassword }));
  const targets = {
    team: {
      type: "email",
      host: "127.0.0.1",
      port: server.port,
      security: "none",
      authentication: "mail",
      user: mailUser,
      password: "__SAVED__",
      from: "audit@x.example",
      to: "ops@x.example",
    },
    room: { type: "webhook", url: "__SAVED__", authentication: "room", body: "text" },
    own: {
      type: "webhook",
      url: `${chat.url}/own`,
      body: { kind: "note", parts: [{ title: "{{title}}", body: "{{message}}" }] },
    },
    hook: { type: "webhook", url: receiver.url, secret: "SECRET-hook", records_per_batch: 1 },
  };
  const authentications = { mail: { file: password_file }, room: { env: "ROOM" } };
  const schedule = { notify: ["team", "room", "own"], jobs };
  const config = { targets, authentications, schedule, queries: "queries", ...more };
  return home.write("auditlake.json", JSON.stringify(config));
}

async function runScheduled(file: string, job: string): Promise<{ code: number; err: string }> {
  const env = childEnv({ ROOM: JSON.stringify({ url: `${chat.url}/CANARY-room` }) });
  const argv = ["--config", file, "--quiet", "schedule", "run", "--scheduled", job];
  return home.run(argv, { env });
}

// Long lines are broken on their way.
const lastMail = (): string => server.arrived.at(-1)!.source.replaceAll("=\r\n", "");

const subjects = (): string[] =>
  server.arrived.map(({ source }) => /Subject: (.*)\r/.exec(source)![1]!);

function readTexts(path: string): string[] {
  return chat.calls.filter(({ url }) => url.pathname === path).map(({ body }) => body);
}

const denied = {
  report: "denied",
  id_key: "id",
  activation_mappings: [
    { delta_status: "new", connector_field: "records_per_batch", connector_field_value: 1 },
    { delta_status: "deleted", connector_field: "records_per_batch", connector_field_value: 1 },
  ],
  result_connection_name: "mail",
  result_connection_settings: {},
};

// Seed 002, D, rule 3: a schedule with e-mail notifications.
test("refused rows, the guard, a failure and a recovery are sent by e-mail and to a chat", async () => {
  home.write(
    "queries/denied.sql",
    "-- title: Denied\n-- grain: one row\nselect event_key as id, user_id from denials order by event_key",
  );
  const settings = { type: "webhook", url: receiver.url, secret: "SECRET-hook" };
  const activation = {
    ...denied,
    result_connection_settings: settings,
    guard: { share: 0, rows: 1 },
  };
  const more = { activations: { denied: activation } };
  const job = { cron: "none", tell_rows: 5, activate: "denied" };
  const file = runConfigured({ send: job }, more);
  status = 422;
  const refused = await runScheduled(file, "send");
  expect({ ...refused }).toMatchObject({ code: 6 });
  const mail = { source: lastMail() };
  expect(subjects()).toEqual(["auditlake: send refused"]);
  expect(mail.source).toMatch(/0 arrived, 2 refused, 0 uncertain/);
  expect(mail.source).toMatch(
    /^class +new\r?\nid +[0-9a-f]{32}\r?\nstate +refused\r?\nreason +the receiver/m,
  );
  expect(mail.source).toMatch(/<table/);
  expect(readTexts("/CANARY-room")).toEqual([
    expect.stringMatching(/^\{"text":"auditlake: send refused/),
  ]);
  expect(JSON.parse(readTexts("/own")[0]!)).toEqual({
    kind: "note",
    parts: [{ title: "auditlake: send refused", body: expect.stringMatching(/2 refused/) }],
  });
  expect(refused.err).not.toMatch(/CANARY-room/);
  status = 204;
  const retried = runConfigured({ send: { ...job, retry_refused: true } }, more);
  expect((await runScheduled(retried, "send")).code).toBe(0);
  home.write(
    "queries/denied.sql",
    "-- title: Denied\n-- grain: one row\nselect event_key as id, user_id from denials where user_id > 1 order by event_key",
  );
  expect((await runScheduled(file, "send")).code).toBe(3);
  expect(subjects()).toEqual(
    ["refused", "well", "stopped"].map((state) => `auditlake: send ${state}`),
  );
  expect(lastMail()).toMatch(/more than the guard allows/);
});

test("a small result is part of the notice, if the job is configured so", async () => {
  const report = { names: ["found"], out: "found.csv", fail_on_rows: true };
  const file = runConfigured({
    shown: { cron: "none", tell_rows: 1, report },
    hidden: { cron: "none", report },
  });
  expect((await runScheduled(file, "shown")).code).toBe(3);
  const source = lastMail();
  expect(source).toMatch(/found found 2 rows/);
  expect(source).toMatch(/\r\nuser_id\r\n1\r\n/);
  expect((await runScheduled(file, "hidden")).code).toBe(3);
  expect(lastMail()).not.toMatch(/\r\nuser_id\r\n/);
});

test("a notified target is not notified again when another one is unreachable", async () => {
  const file = runConfigured({ broken: { cron: "none", activate: "nosuch" } });
  const before = server.arrived.length;
  chat.fault(() => ({ status: 403 }));
  const first = await runScheduled(file, "broken");
  expect(first.err).toMatch(
    /team, room, own may not have received a notification: room: .*is retained/,
  );
  expect(server.arrived).toHaveLength(before + 1);
  chat.fault(undefined);
  expect((await runScheduled(file, "broken")).code).toBe(2);
  const refusal = subjects()
    .slice(before)
    .filter((subject) => subject.includes("broken"));
  // The second run has a configuration failure again, which is reported each time.
  expect(refusal).toHaveLength(2);
  expect(readTexts("/own").filter((text) => text.includes("broken failed"))).toHaveLength(3);
});

test("the daily report is sent as a file, by a job as well", async () => {
  const file = runConfigured({ morning: { cron: "none", page: { out: "pages", mail: "team" } } });
  expect((await runScheduled(file, "morning")).code).toBe(0);
  const source = lastMail();
  expect(source).toMatch(/filename="?[\w-]+\.html/);
  expect(source).toMatch(/^Subject: .*nothing[_ ]new/m);
  expect(source).toContain("No open findings.");
  expect(source).not.toMatch(/<(?:img|script|link|style)\b/);
  expect(source).toMatch(/Content-Type: text\/html; charset=utf-8; name=|name="?[\w-]+\.html/);
  const wrong = await home.run(["--config", file, "page", "--out", "pages", "--mail", "hook"]);
  expect(failureLine(wrong, 2, [])).toMatch(/target hook is of type webhook; expected type email/);
});

test("an activation whose e-mail some recipients did not get is partial, and is sent once", async () => {
  const activation = {
    activation_actions_table: "denials",
    id_key: "event_key",
    activation_mappings: [
      { delta_status: "new", connector_field: "subject", connector_field_value: "New" },
    ],
    result_connection_name: "mail",
    result_connection_settings: {
      type: "email",
      host: "127.0.0.1",
      port: server.port,
      security: "none",
      authentication: "mail",
      user: mailUser,
      password: "__SAVED__",
      from: "audit@x.example",
      to: ["nobody@x.example", "ops@x.example"],
    },
  };
  const file = runConfigured({}, { activations: { people: activation } });
  const before = server.arrived.length;
  const first = await home.run(["--config", file, "activate", "people"]);
  const refusal = /activation-people: the mail server refused 1 of 2 addresses/;
  expect(first).toMatchObject({ code: 6, err: expect.stringMatching(refusal) });
  expect(await home.run(["--config", file, "activate", "people"])).toMatchObject({ code: 0 });
  expect(server.arrived).toHaveLength(before + 1);
});

test("a page and a notice that some recipients did not get are reported, and sent to the others once", async () => {
  const file = runConfigured({ broken: { cron: "none", activate: "nosuch" } });
  const config = JSON.parse(readFileSync(file, "utf8"));
  config.targets.team.to = ["nobody@x.example", "ops@x.example"];
  config.schedule.notify = "team";
  writeFileSync(file, JSON.stringify(config));
  const refusal = /team: the mail server refused 1 of 2 addresses; the others received the message/;
  const before = server.arrived.length;
  const pages = join(home.folder, "pages");
  const page = await home.run(["--config", file, "page", "--out", pages, "--mail", "team"]);
  expect(page).toMatchObject({ code: 6, err: expect.stringMatching(refusal) });
  const notice = await runScheduled(file, "broken");
  expect(notice.err).toMatch(refusal);
  expect(notice.err).not.toMatch(/is retained/);
  expect(server.arrived).toHaveLength(before + 2);
});

test("a result is sent by e-mail, too", async () => {
  const file = runConfigured({});
  const path = join(home.folder, "summary.json");
  const argv = ["--config", file, "export", "found", "--to", "team", "--summary", path];
  expect((await home.run(argv)).code).toBe(0);
  expect(lastMail()).toMatch(/user_id\r\n1\r\n2/);
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({
    runs: [{ connector: "email", accepted: 2 }],
  });
});
