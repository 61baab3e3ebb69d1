import { expect, it } from "vitest";
import { findReports } from "../../../../../pipeline/base/report/find.ts";
import { html } from "../../../../../pipeline/base/html/markup.ts";
import {
  writeFirstPage,
  writeSqlPage,
  writeStatementPage,
} from "../../../../../pipeline/adapters/serve/sql/page.ts";
import type { Visit } from "../../../../../pipeline/adapters/serve/visit.ts";
import { newVisit } from "../../../../support/visit.ts";
import { testWorld } from "../../../../support/world.ts";

const { reports } = findReports();

/** A visit whose site notes what is asked, and has one answer for all. */
function noting(): { readonly visit: Visit; readonly asked: string[] } {
  const asked: string[] = [];
  const add = (_: string, what: string): void => void asked.push(what);
  const site = {
    world: testWorld(),
    found: () => ({ reports, broken: [] }),
    statements: {
      memory: { memoryLimit: "1GB" },
      run: () => Promise.resolve(html`<p>the answer</p>`),
    },
    asked: { add, statements: () => [] },
  };
  return { visit: newVisit(site, "/sql"), asked };
}

it("runs a submitted statement, and nothing without one", async () => {
  for (const [sql, isAsked, runs] of [
    ["select 1", true, true],
    ["select 1", false, false],
    [" \n", true, false],
    ["", true, false],
    ["", false, false],
  ] as const) {
    const { visit, asked } = noting();
    const page = await writeSqlPage(visit, { sql, isAsked });
    const ran = { asked, isAnswered: page.includes("the answer") };
    expect(ran).toEqual({ asked: runs ? [sql] : [], isAnswered: runs });
  }
});

it("opens with an example that is not run", async () => {
  const { visit, asked } = noting();
  expect(await writeFirstPage(visit)).toMatch(/<textarea[^>]*>\s*select event_date/);
  expect(asked).toEqual([]);
});

it("shows the statement of a report without running it", async () => {
  const { visit, asked } = noting();
  const page = await writeStatementPage(visit, reports[0]!.name);
  expect(page).toContain("<textarea");
  expect(asked).toEqual([]);
});
