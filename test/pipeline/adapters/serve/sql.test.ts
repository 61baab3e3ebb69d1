import { expect, it } from "vitest";
import { findReports } from "../../../../pipeline/base/report/find.ts";
import { html } from "../../../../pipeline/base/html/markup.ts";
import type { Site } from "../../../../pipeline/adapters/serve/site.ts";
import { writeSqlPage, writeStatementPage } from "../../../../pipeline/adapters/serve/sql.ts";
import { testWorld } from "../../../support/world.ts";

const { reports } = findReports();
const gone = new AbortController().signal;

/** A site that notes what is asked, and has one answer for all. */
function noting(): { readonly site: Site; readonly asked: string[] } {
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
  return { site: site as unknown as Site, asked };
}

it("asks a statement that is sent, and nothing where none is", async () => {
  for (const [sql, isAsked, runs] of [
    ["select 1", true, true],
    ["select 1", false, false],
    [" \n", true, false],
    ["", true, false],
    ["", false, false],
  ] as const) {
    const { site, asked } = noting();
    const page = await writeSqlPage(site, sql, { isAsked }, gone);
    const ran = { asked, isAnswered: page.includes("the answer") };
    expect(ran).toEqual({ asked: runs ? [sql] : [], isAnswered: runs });
  }
});

it("shows the statement of a report without asking it", async () => {
  const { site, asked } = noting();
  const page = await writeStatementPage(site, reports[0]!.name, gone);
  expect(page).toContain("<textarea");
  expect(asked).toEqual([]);
});
