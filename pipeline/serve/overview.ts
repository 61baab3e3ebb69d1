import { html, type Markup } from "../html/markup.ts";
import { statementOf } from "../report/bind.ts";
import { givenParams, questionOf } from "../report/params.ts";
import { answerOf } from "../report/render/html.ts";
import { runStatement } from "../report/run.ts";
import { ask } from "./ask.ts";
import { sitePage } from "./layout.ts";
import { leadsWithin } from "./leads.ts";
import type { Site } from "./site.ts";

const shown = ["denials_by_day", "denials_by_actor", "activity_by_day"];
const since = "7d";
const rowsOfPart = 20;

/** The health of the pipeline, and what happened in the last days. */
export async function overviewPage(site: Site, gone: AbortSignal): Promise<string> {
  site.asked.add("overview", `since=${since}`);
  return ask(site, gone, async (connection, signal) => {
    const health = await site.health(connection);
    const parts: Markup[] = [];
    for (const name of shown) {
      const report = site.found().reports.find((each) => each.name === name);
      if (report === undefined) continue;
      const question = questionOf(report, givenParams({ since }, []), site.world.now());
      const rows = await runStatement(connection, statementOf(question), signal);
      const { title, chart } = report;
      const answer = await answerOf(
        rows,
        { title, facts: [], chart },
        rowsOfPart,
        leadsWithin({ since }),
      );
      parts.push(
        html`<h2><a href="/reports/${name}?since=${since}">${title}</a></h2>
          ${answer}`,
      );
    }
    return sitePage("Overview", html`${parts}${health}`);
  });
}
