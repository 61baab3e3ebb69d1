import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { newHome, readCopy, type TestHome } from "../../support/home.ts";

const nowMs = Date.UTC(2026, 1, 10, 6);

function denial(n: number, dayOfFebruary: number): object {
  return {
    id: `d${n}`,
    time: Date.UTC(2026, 1, dayOfFebruary, 5, n) / 1000,
    event_name: "user_signed_in",
    event_result: "denied",
    user_email: `p${n}@example.com`,
  };
}

let original: TestHome;
beforeAll(async () => {
  original = newHome();
  await original.load([denial(1, 8), denial(2, 9)]);
});
afterAll(() => original[Symbol.dispose]());

/** Writes a page and returns its text. */
async function write(home: TestHome, flags: readonly string[] = []): Promise<string> {
  const out = join(home.folder, "pages");
  const argv = ["page", "--out", out, ...flags];
  expect(await home.run(argv, { now: () => nowMs })).toMatchObject({ code: 0, out: "" });
  return readFileSync(join(out, readdirSync(out)[0]!), "utf8");
}

function listLinks(page: string): string[] {
  return [...page.matchAll(/\s(?:src|href|action)="([^"]*)"/g)].map(([, to]) => to!);
}

it("page writes one file that sends no requests and has no links without a base address", async () => {
  using home = readCopy(original);
  const page = await write(home);
  expect(readdirSync(join(home.folder, "pages"))).toEqual(["auditlake-2026-02-10.html"]);
  expect(page).toContain("default-src &#39;none&#39;");
  expect(listLinks(page).filter((to) => !to.startsWith("#"))).toEqual([]);
  expect(page).toContain("<h1>Tuesday 10 February 2026</h1>");
  expect(page.match(/<b>No open findings\.<\/b>/g)).toHaveLength(1);
  expect(page).not.toContain("More findings");
});

it("page links to serve at its base address", async () => {
  using home = readCopy(original);
  const config = home.write(
    "auditlake.json",
    JSON.stringify({ serve: { base_url: "https://audit.example.com/lake/" } }),
  );
  const links = listLinks(await write(home, ["--config", config]));
  expect(links.length).toBeGreaterThan(5);
  for (const link of links) expect(link).toMatch(/^(?:#|https:\/\/audit\.example\.com\/lake\/)/);
});

it("page writes a user page, which may replace the daily report", async () => {
  using home = readCopy(original);
  const queries = join(home.folder, "queries");
  mkdirSync(queries);
  const block = "```table\nreport: denials_by_actor\nsince: 30d\n```\n";
  writeFileSync(join(queries, "team.md"), `# Team <b>one</b>\n\nSee [all](/reports).\n\n${block}`);
  writeFileSync(join(queries, "README.md"), "# Notes\n\n```sql\nselect 1\n```\n");
  const page = await write(home, ["--name", "team", "--queries", queries]);
  expect(readdirSync(join(home.folder, "pages"))).toEqual(["team-2026-02-10.html"]);
  expect(page).toContain("Team &lt;b&gt;one&lt;/b&gt;");
  expect(page).toContain("p1@example.com");
  writeFileSync(join(queries, "daily.md"), `# Ours\n\n${block}`);
  await write(home, ["--queries", queries]);
  const daily = readFileSync(join(home.folder, "pages", "auditlake-2026-02-10.html"), "utf8");
  expect(daily).toContain("Ours");
  expect(daily).not.toContain("Query activity");
});

it.each([
  ["../team", '"../team" cannot be the name of a page; expected the name of a file without .md'],
  ["dayly", 'no page is called "dayly"; did you mean daily?'],
  ["broken", 'broken.md:3: unknown block "tabel"'],
  ["README", 'no page is called "README"'],
])("page refuses --name %s in one line", async (name, message) => {
  using home = readCopy(original);
  const queries = join(home.folder, "queries");
  mkdirSync(queries);
  writeFileSync(join(queries, "broken.md"), "# Broken\n\n```tabel\n```\n```status\n```\n");
  writeFileSync(join(queries, "README.md"), "# Notes\n");
  const out = join(home.folder, "pages");
  const argv = ["page", "--out", out, "--name", name, "--queries", queries];
  const { code, err } = await home.run(argv);
  expect([code, existsSync(out)]).toEqual([2, false]);
  expect(err).toContain(message);
  expect(err.trim().split("\n")).toHaveLength(1);
});

it("page refuses two pages of one name", async () => {
  using home = readCopy(original);
  const queries = join(home.folder, "queries");
  for (const folder of ["a", "b"]) {
    mkdirSync(join(queries, folder), { recursive: true });
    writeFileSync(join(queries, folder, "team.md"), "# Team\n\n```status\n```\n");
  }
  const argv = ["page", "--out", join(home.folder, "pages"), "--queries", queries];
  const { code, err } = await home.run([...argv, "--name", "team"]);
  expect(code).toBe(2);
  expect(err).toMatch(/b\/team\.md: page team already exists \(.*a\/team\.md\); rename the file/);
});

it("page writes nothing if nothing is published", async () => {
  using home = newHome();
  const out = join(home.folder, "pages");
  const { code, err } = await home.run(["page", "--out", out]);
  expect([code, existsSync(out)]).toEqual([1, false]);
  expect(err).toMatch(/^error: .*nothing/i);
});

it("page refuses an invalid range, and writes nothing", async () => {
  using home = readCopy(original);
  const out = join(home.folder, "pages");
  const { code, err } = await home.run(["page", "--out", out, "--since", "soon"]);
  expect([code, existsSync(out)]).toEqual([2, false]);
  expect(err).toMatch(/"soon" is not a time/);
});

it("page is a job of the schedule", async () => {
  using home = readCopy(original);
  const out = join(home.folder, "pages");
  const jobs = { morning: { cron: "0 6 * * *", page: { out, since: "7d" } } };
  const config = home.write("auditlake.json", JSON.stringify({ schedule: { jobs } }));
  const argv = ["--config", config, "schedule", "run", "--once", "morning"];
  expect(await home.run(argv)).toMatchObject({ code: 0 });
  expect(readdirSync(out)).toHaveLength(1);
});
