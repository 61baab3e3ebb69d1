import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { getMarkupText } from "../../../../pipeline/base/html/markup.ts";
import { findReports } from "../../../../pipeline/base/report/find.ts";
import { writePlainStatement } from "../../../../pipeline/answers/report/statement.ts";
import { buildEditor } from "../../../../pipeline/adapters/serve/sql/page.ts";
import type { Site } from "../../../../pipeline/adapters/serve/site.ts";
import { newHome, type TestHome } from "../../../support/home.ts";
import { testWorld } from "../../../support/world.ts";

const nowMs = Date.UTC(2026, 3, 1);
const { reports } = findReports();
let home: TestHome;
beforeAll(async () => {
  home = newHome();
  const golden = new URL("../../../../fixtures/golden/records.ndjson", import.meta.url);
  await home.load(readFileSync(golden, "utf8").trim().split("\n"));
});
afterAll(() => home[Symbol.dispose]());

it("opens the SQL of reports with their defaults filled in, and gets the same answer", async () => {
  // One of each family, and all that have other parameters than a range.
  const chosen = [...Map.groupBy(reports, ({ family }) => family).values()].map(
    ([first]) => first!,
  );
  const others = reports.filter(({ params }) => params.some(({ type }) => type !== "timestamp"));
  const complete = new Set([...chosen, ...others.slice(0, 2)]).values();
  let asked = 0;
  for (const report of complete) {
    const sql = writePlainStatement(report, nowMs);
    if (report.params.some(({ defaultText }) => defaultText === undefined)) continue;
    expect(sql).not.toMatch(/^--|\$\w/);
    const world = { now: () => nowMs };
    const expected = await home.run(["report", "run", report.name, "--format", "csv"], world);
    const found = await home.run(["sql", sql, "--format", "csv"], world);
    expect([report.name, found.code, found.out]).toEqual([report.name, 0, expected.out]);
    asked += 1;
  }
  expect(asked).toBeGreaterThan(4);
});

it("keeps a parameter without a default, and quotes text", () => {
  const required = reports.find(({ name }) => name === "user_timeline")!;
  expect(writePlainStatement(required, nowMs)).toContain("$user");
  const params = [{ name: "who", type: "text", defaultText: "o'neil" }] as const;
  const report = { ...required, params, sql: "-- title: T\n-- grain: g\nselect $who as w, $whom" };
  expect(writePlainStatement(report, nowMs)).toBe("select cast('o''neil' as varchar) as w, $whom");
});

function siteWith(editorScript: string | undefined): Site {
  const find = (): ReturnType<typeof findReports> => ({ reports, broken: [] });
  return { editorScript, found: find, world: testWorld() } as unknown as Site;
}

it("is a plain field if its script was not built", () => {
  const { field, page } = buildEditor(siteWith(undefined), "select '<b>'");
  expect(page).toEqual({});
  const text = getMarkupText(field);
  expect(text).toMatch(/<textarea[^>]*name="sql"[^>]*>select &#39;&lt;b&gt;&#39;<\/textarea>/);
  expect(text).not.toContain("data-");
});

it("knows the tables and reports, and has a separate nonce for the styles of each page", () => {
  const [first, second] = [1, 2].map(() => buildEditor(siteWith("1"), ""));
  expect(first!.page.scripts).toEqual(["1"]);
  expect(first!.page.styleNonce).not.toBe(second!.page.styleNonce);
  const [, known = ""] = /data-known="([^"]*)"/.exec(getMarkupText(first!.field)) ?? [];
  const schema = JSON.parse(
    known
      .replaceAll("&quot;", '"')
      .replaceAll(/&#39;/g, "'")
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll(/&#(\d+);/g, (_, n: string) => String.fromCodePoint(Number(n)))
      .replaceAll("&amp;", "&"),
  ) as { tables: Record<string, string[]>; reports: { name: string }[] };
  expect(schema.tables["events"]).toContain("event_time");
  expect(schema.reports.map(({ name }) => name)).toEqual(reports.map(({ name }) => name));
});
