import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parts } from "../../../pipeline/adapters/page/parts.ts";
import { findReports } from "../../../pipeline/base/report/find.ts";
import { newHome, type TestHome } from "../../support/home.ts";

const dayMs = 86_400_000;
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

async function formatPage(home: TestHome, atMs: number): Promise<string> {
  const out = join(home.folder, "pages");
  const world = { now: () => atMs };
  expect(await home.run(["page", "--out", out], world)).toMatchObject({ code: 0, out: "" });
  return readFileSync(
    join(out, `auditlake-${new Date(atMs).toISOString().slice(0, 10)}.html`),
    "utf8",
  );
}

// The rows of the first table below a heading.
function rowsBelow(page: string, heading: string): number {
  const after = page.slice(page.indexOf(`<h3>${heading}</h3>`));
  const answer = after.slice(0, after.indexOf("auditlake report run"));
  return (answer.match(/<tr>/g)?.length ?? 1) - 1;
}

it("shows what is new since the page of another day, however often it is made", async () => {
  using home = newHome();
  await home.load([denial(1, 8), denial(2, 9), denial(3, 10)]);
  const asked = "New denials";
  expect(rowsBelow(await formatPage(home, nowMs - dayMs * 0.9), asked)).toBe(1);
  for (const again of [1, 2])
    expect(rowsBelow(await formatPage(home, nowMs + again), asked)).toBe(1);
  const later = await formatPage(home, nowMs + 2 * dayMs);
  expect(rowsBelow(later, asked)).toBe(0);
  expect(rowsBelow(later, "Denials by actor")).toBe(3);
});

it("says so where it shows the first of the unknown events, and where the days before were not read", async () => {
  using home = newHome();
  const odd = Array.from({ length: 21 }, (_, i) => ({ ...denial(i, 2), event_name: `odd_${i}` }));
  await home.load([...odd, denial(99, 10)]);
  const page = await formatPage(home, nowMs);
  const title = "Events that the reference does not have (first 20 of 22)";
  expect(rowsBelow(page, title)).toBe(20);
  // The range of a week is whole; what had not been seen in the thirty days before is not known.
  expect(page).toContain("Note: the log of default begins at 2026-02-02T05:00:00Z.");
});

it("is self-contained: no request, no form, a policy that permits nothing else", async () => {
  using home = newHome();
  await home.load([denial(1, 9), denial(2, 10)]);
  const page = await formatPage(home, nowMs);
  // No row of the days before the first that was read does not mean that nothing happened.
  expect(page).toContain("Note: the log of default begins at 2026-02-09T05:01:00Z.");
  expect(page).toContain("default-src &#39;none&#39;");
  expect([...page.matchAll(/(?:src|href|action)="([^"]*)"/g)].map(([, to]) => to)).toSatisfy(
    (links: string[]) => links.length > 5 && links.every((to) => to.startsWith("#")),
  );
  for (const { id, title } of parts) expect(page).toContain(`<h2 id="${id}">${title}</h2>`);
});

it("has a chart and known reports in each part", () => {
  const { reports } = findReports();
  for (const part of parts) {
    const own = part.reports.map((name) => reports.find((each) => each.name === name));
    expect(own, part.id).not.toContain(undefined);
    expect(
      own.some((report) => report?.chart !== undefined),
      part.id,
    ).toBe(true);
  }
});

it("puts what is wrong on top", async () => {
  using home = newHome();
  await home.load([
    { id: "x", time: Date.UTC(2026, 1, 9) / 1000, event_name: "never_heard_of" },
    "no record",
  ]);
  const page = await formatPage(home, nowMs);
  const health = page.slice(page.indexOf('id="health"'), page.indexOf('id="new"'));
  expect(health).toContain("never_heard_of");
  expect(health).toContain("<dt>verified</dt>");
});

it("writes nothing where nothing is published", async () => {
  using home = newHome();
  const out = join(home.folder, "pages");
  const { code, err } = await home.run(["page", "--out", out]);
  expect([code, existsSync(out)]).toEqual([1, false]);
  expect(err).toMatch(/^error: .*nothing/i);
});

it("refuses a range that is none, and writes nothing", async () => {
  using home = newHome();
  await home.load([denial(1, 9)]);
  const out = join(home.folder, "pages");
  const { code, err } = await home.run(["page", "--out", out, "--since", "soon"]);
  expect([code, existsSync(out)]).toEqual([2, false]);
  expect(err).toMatch(/"soon" is not a time/);
});

it("is a job of the schedule", async () => {
  using home = newHome();
  await home.load([denial(1, 9)]);
  const out = join(home.folder, "pages");
  const jobs = { morning: { cron: "0 6 * * *", page: { out, since: "7d" } } };
  const config = home.write("auditlake.json", JSON.stringify({ schedule: { jobs } }));
  const argv = ["--config", config, "schedule", "run", "--once", "morning"];
  expect(await home.run(argv)).toMatchObject({ code: 0 });
  expect(readdirSync(out)).toHaveLength(1);
});
