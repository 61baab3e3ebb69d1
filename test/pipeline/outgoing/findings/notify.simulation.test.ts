import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type Destination,
  startDestination,
} from "../../../../fixtures/destinations/destination.ts";
import {
  startWebhook,
  type WebhookDestination,
} from "../../../../fixtures/destinations/webhook.ts";
import { hostileValues } from "../../../support/hostile-values.ts";
import { denials, type FindingsHome, newFindingsHome, reset } from "../../cli/findings/scene.ts";

let home: FindingsHome;
let hook: WebhookDestination;
let chat: Destination;
beforeEach(async () => {
  hook = await startWebhook({ now: () => Date.UTC(2026, 2, 4) });
  chat = await startDestination(() => ({ status: 200 }));
  home = await newFindingsHome(undefined, {
    targets: {
      hook: { type: "webhook", url: hook.url, secret: hook.secret },
      chat: { type: "webhook", url: chat.url, body: "text" },
    },
    findings: {
      notify: [
        { target: "hook", severity: "medium" },
        { target: "chat", severity: "high" },
      ],
    },
  });
});
afterEach(async () => {
  home[Symbol.dispose]();
  await Promise.all([hook, chat].map((each) => each[Symbol.asyncDispose]()));
});

const listSubjects = () => hook.rows().map((row) => row["subject"]);
const listDeliveries = () => hook.arrived().map(({ delivery }) => delivery);
const evaluate = () => home.findings(["evaluate"]);
let imports = 0;
const importAll = (records: readonly object[]) =>
  home.run([
    "import",
    home.write(
      `all-${(imports += 1)}.ndjson`,
      records.map((each) => `${JSON.stringify(each)}\n`).join(""),
    ),
  ]);

test("a finding is sent once to each target of its severity, in a separate message", async () => {
  await importAll([...denials(17), reset]);
  await evaluate();
  await importAll(denials(18));
  expect(listSubjects()).toEqual(["eve@example.com", "user 17", "user 18"]);
  const ids = await home.ids();
  expect(listDeliveries()).toEqual(
    ["eve@example.com", "user 17", "user 18"].map((subject) => `findings-${ids[subject]}`),
  );
  const texts = chat.calls.map(({ body }) => (JSON.parse(body) as { text: string }).text);
  expect(texts.map((text) => text.split("\n")[0])).toEqual([
    "auditlake: high: Owner passwords reset",
  ]);
  await evaluate();
  const sent = await home.rows("select count(*) as n from findings where notified_at is not null");
  expect(sent).toEqual([{ n: "3" }]);
});

test.each([
  [10, 10],
  [11, 1],
])("%i findings that are new at once are sent in %i messages", async (findings, messages) => {
  await importAll(Array.from({ length: findings }, (_, n) => denials(100 + n)).flat());
  expect(hook.arrived()).toHaveLength(messages);
  expect(hook.rows()).toHaveLength(findings);
  await evaluate();
  expect(hook.rows()).toHaveLength(findings);
});

test("after a crash between sending and recording a finding is sent again under the same id", async () => {
  await importAll(denials(17));
  const folder = join(home.home, "landing/findings");
  for (const name of readdirSync(folder))
    if (readFileSync(join(folder, name), "utf8").includes('"notified"')) rmSync(join(folder, name));
  await evaluate();
  const ids = hook.calls.map(({ headers }) => headers["webhook-id"]);
  expect(ids).toHaveLength(2);
  expect(new Set(ids).size).toBe(1);
  await evaluate();
  expect(hook.calls).toHaveLength(2);
});

test("a target that refuses gets its findings with the next run, and the other target at once", async () => {
  hook.fault(() => ({ status: 410 }));
  const { code, err } = await importAll([...denials(17), reset]);
  expect(code).toBe(6);
  expect(err).toMatch(/^error: .*hook/m);
  expect(hook.rows()).toEqual([]);
  expect(chat.calls).toHaveLength(1);
  hook.fault(undefined);
  expect(await evaluate()).toMatchObject({ code: 0 });
  expect(listSubjects()).toEqual(["eve@example.com", "user 17"]);
  expect(chat.calls).toHaveLength(1);
});

test("suppressed and withdrawn findings are not sent", async () => {
  hook.fault(() => ({ status: 410 }));
  await importAll([...denials(17), ...denials(18)]);
  hook.fault(undefined);
  const where = ["--where", "user_id=17", "--until", "2026-03-20", "--reason", "x"];
  await home.findings(["suppress", "repeated_denials", ...where]);
  await importAll(denials(17, 5));
  expect(listSubjects()).toEqual(["user 18"]);
});

test("--no-findings sends nothing", async () => {
  await home.import(denials(17), "--no-findings");
  expect(hook.calls).toEqual([]);
});

test("hostile values are one row each in CSV, and contain no terminal sequences", async () => {
  const values = hostileValues.filter((value) => value.trim() !== "");
  await home.import(
    values.map((user_email, n) => ({ ...reset, id: `r${n}`, user_id: undefined, user_email })),
  );
  const csv = await home.findings(["--format", "csv", "--limit", "all"]);
  const rows: Record<string, string>[] = parse(csv.out, { columns: true });
  expect(rows).toHaveLength(values.length);
  for (const { subject } of rows) expect(subject).not.toMatch(/^[=+@-]/);
  const table = await home.findings([]);
  expect(table.out.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  for (const id of Object.values(await home.ids())) {
    const shown = await home.findings(["show", id]);
    expect(shown.code).toBe(0);
    expect(shown.out.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]/u);
  }
});
