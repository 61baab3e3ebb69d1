import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newHome } from "../../../support/home.ts";

const startMs = Date.UTC(2026, 2, 3, 4);
const hourMs = 3_600_000;

/** As many denials of one user as raise a finding. */
const denials = (user: number, name: string): object[] =>
  Array.from({ length: 25 }, (_, n) => ({
    id: `${user}-${n}`,
    time: startMs / 1000 + n * 60,
    event_name: "job_create_unauthorized",
    user_id: user,
    user_email: name,
  }));

test("the daily report starts with the open findings of its range, seven at most", async () => {
  using home = newHome();
  const people = Array.from({ length: 9 }, (_, n) => denials(n + 1, `p${n + 1}@example.com`));
  const env = { AUDITLAKE_FINDINGS: "on" };
  const now = () => startMs + 2 * hourMs;
  await home.load([...people.flat(), ...denials(99, "<b>x</b>@example.com")], { env, now });
  const pages = join(home.folder, "pages");
  const write = async (sinceDays: number): Promise<string> => {
    const { code, err } = await home.run(["page", "--out", pages, "--since", `${sinceDays}d`], {
      now: () => startMs + 10 * 24 * hourMs,
    });
    expect(code, err).toBe(0);
    return readFileSync(join(pages, "auditlake-2026-03-13.html"), "utf8");
  };
  const page = await write(30);
  const main = page.slice(page.indexOf("<main>"));
  const section = main.slice(0, main.indexOf("</section>"));
  expect(section).toContain('<h2 id="findings">Look at this first</h2>');
  const lines = section.match(/<li>[^]*?<\/li>/g) ?? [];
  expect(lines).toHaveLength(7);
  for (const line of lines)
    expect(line.replaceAll(/<[^>]*>|\s+/g, " ").trim()).toMatch(
      /^medium\s+\S.*@example\.com was denied 25 times within an hour \(2026-03-03 04:24\)\.\s+auditlake findings show [0-9a-f]{16}$/,
    );
  expect(section).toMatch(/3 more findings:.*auditlake findings --since 30d/);
  expect(page).toContain('<a href="#findings">Look at this first</a>');
  expect(page).not.toContain("<b>x</b>");
  expect(await write(1)).toContain("<p>No open findings.</p>");
});
