import { afterAll, beforeAll, expect, test } from "vitest";
import { findPage } from "../../../../pipeline/answers/page-file/find.ts";
import { openContext } from "../../../../pipeline/adapters/page/write-page.ts";
import { type PageMail, writePageMail } from "../../../../pipeline/adapters/page/mail.ts";
import { readSettings } from "../../../../pipeline/base/home/settings.ts";
import { findReports } from "../../../../pipeline/base/report/find.ts";
import { newHome, type TestHome } from "../../../support/home.ts";
import { testWorld } from "../../../support/world.ts";

const startMs = Date.UTC(2026, 2, 3, 4);
const hourMs = 3_600_000;

let home: TestHome;
beforeAll(async () => {
  home = newHome();
  // As many denials of one user as raise a finding; the name has hostile text.
  const denials = (user: number, name: string): object[] =>
    Array.from({ length: 25 }, (_, n) => ({
      id: `${user}-${n}`,
      time: startMs / 1000 + n * 60,
      event_name: "job_create_unauthorized",
      user_id: user,
      user_email: name,
    }));
  const people = Array.from({ length: 5 }, (_, n) => denials(n + 1, `p${n + 1}@example.com`));
  const env = { AUDITLAKE_FINDINGS: "on" };
  await home.load([...people.flat(), ...denials(99, '"><img src=x>@example.com')], {
    env,
    now: () => startMs + 2 * hourMs,
  });
});
afterAll(() => home[Symbol.dispose]());

async function write(serve: object): Promise<PageMail> {
  const config = home.write("auditlake.json", JSON.stringify({ serve }));
  const world = testWorld({ now: () => startMs + 26 * hourMs });
  const settings = readSettings(
    { home: home.home, config, logLevel: "info", progress: "none" },
    world,
  );
  const { reports } = findReports();
  await using context = await openContext(settings, world, reports, "30d");
  return await writePageMail(findPage("daily", undefined, reports), context);
}

test("the subject counts open findings, the body has the first four and no address without a base address", async () => {
  const { subject, html, text } = await write({});
  expect(subject).toBe("auditlake: 6 medium – Wed 4 Mar 2026");
  expect(html.match(/was denied 25 times/g)!.length).toBe(5);
  expect(html).toContain("2 more open findings: 2 medium");
  expect(html).not.toMatch(/<(?:a|img|script|link|style)\b|\sclass=/);
  expect(html).toContain("No comparison yet");
  expect(text).toMatch(/^ {2}MEDIUM {2}\S/m);
  expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(72);
});

test("with a base address each finding and the page are links", async () => {
  const { html, text } = await write({ base_url: "https://audit.example.com" });
  const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, to]) => to!);
  expect(links).toHaveLength(5);
  for (const link of links.slice(0, 4))
    expect(link).toMatch(/^https:\/\/audit\.example\.com\/findings\/[0-9a-f]{16}$/);
  expect(links[4]).toBe("https://audit.example.com/pages/daily");
  expect(text).toContain(links[0]!);
});
