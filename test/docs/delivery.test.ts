import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startMessaging } from "../../fixtures/destinations/messaging.ts";
import { startWebhook } from "../../fixtures/destinations/webhook.ts";
import { getAssetPath } from "../../pipeline/base/home/assets.ts";
import { homeWithWarehouse } from "../support/home.ts";
import type { Outcome } from "../support/command.ts";

const page = readFileSync(getAssetPath("docs/delivery.md"), "utf8");
const section = page.split("\n## ").find((part) => part.startsWith("First ten minutes"))!;

/** The first block of a language in the section. */
function block(language: string): string {
  return new RegExp(`\\n\`\`\`${language}\\n([^]*?)\`\`\``).exec(section)![1]!;
}

/** The words of a command line as a shell splits them, without the program. */
function listWords(line: string): string[] {
  const words = line.replace(/^\$ auditlake /, "").matchAll(/"([^"]*)"|(\S+)/g);
  return [...words].map(([, quoted, plain]) => quoted ?? plain!);
}

test("following the delivery page sets up a folder, a webhook and a messaging service, and each test passes", async () => {
  using home = await homeWithWarehouse();
  await using receiver = await startWebhook();
  await using service = await startMessaging();
  const records = getAssetPath("fixtures/golden/records.ndjson");
  const users = getAssetPath("fixtures/golden/users.json");
  expect((await home.run(["import", records, "--users", users])).code).toBe(0);
  const text = block("json")
    .replace("https://soc.example", receiver.url)
    .replace("https://messaging.example", service.url)
    .replace('"v1.0"', JSON.stringify(service.version));
  const config = home.write("auditlake.json", text);
  home.write("hook.json", JSON.stringify({ secret: receiver.secret }));
  home.write("chat.json", JSON.stringify({ access_token: service.token }));
  const recipients = home.write("recipients.sql", block("sql"));
  const lines = block("console").trim().split("\n");
  const outcomes: Outcome[] = [];
  for (const line of lines) {
    const words = listWords(line).map((word) => (word === "recipients.sql" ? recipients : word));
    const outcome = await home.run(["--config", config, ...words]);
    expect(outcome, line).toMatchObject({ code: 0 });
    outcomes.push(outcome);
  }
  const tests = outcomes.filter((_, at) => lines[at]!.includes("export test"));
  expect(tests).toHaveLength(3);
  for (const { out } of tests) expect(out).toMatch(/yes, a delivery would find what it needs\n$/);
  const [file] = readdirSync(join(home.folder, "out"));
  const written = readFileSync(join(home.folder, "out", file!), "utf8")
    .trimEnd()
    .split("\r\n");
  expect(written.length).toBeGreaterThan(2);
  // The marked row of the test, and the rows of the report.
  expect(receiver.rows()).toHaveLength(written.length);
  expect(service.arrived().map(({ to }) => to)).toEqual(["+16315550001"]);
  expect(outcomes.at(-1)!.out).toMatch(/folder +delivered[^]*hook +delivered[^]*chat +delivered/);
});
