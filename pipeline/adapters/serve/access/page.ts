import { readDatabases, readHolders, readSnapshots } from "../../../answers/access/standing.ts";
import { readRows } from "../../../answers/page-file/context.ts";
import { getMarkupText, html, type Markup } from "../../../base/html/markup.ts";
import { writeTable } from "../../../base/html/table.ts";
import { buildQuestion } from "../../../base/report/params.ts";
import { bindQuestion } from "../../../base/sql/bind.ts";
import { runStatement } from "../../../base/sql/select.ts";
import { countText, formatCount } from "../../../base/terminal/amounts.ts";
import { toTimestamp } from "../../../base/time/text.ts";
import { ask } from "../ask.ts";
import { writeField, writePageAround } from "../frame.ts";
import { newLeads } from "../leads.ts";
import { tryPart } from "../pieces.ts";
import type { Visit } from "../visit.ts";
import { writeDatabases, writeHolders } from "./standing.ts";

/** Reports that a review of permissions reads, each with what no rows mean. */
const reviewed = [
  ["departed_rights", "People who left have no permissions."],
  ["unused_rights", "All permissions of policies were used in 30 days."],
  ["rights_on_gone_databases", "No permission names a deleted database."],
  ["unheld_policies", "All policies have users."],
  ["permission_drift", "Snapshots and directory agree with the log."],
  ["service_account_access", "No account without a person has full access."],
] as const;

/**
 * Writes the access page: full access by person, by database, and what a review covers; each part as soon as it is
 * known.
 */
export async function* writeAccessPage(visit: Visit): AsyncGenerator<string> {
  const { site, gone, display } = visit;
  site.asked.add("access", "");
  const { source } = site.settings.flags;
  const on = toTimestamp(site.world.now());
  const holders = await ask(site, gone, (connection) => readHolders(connection, source, on));
  const administrators = holders.filter(({ how }) => /administrator|account owner/.test(how));
  const [before, after] = writePageAround(
    {
      visit,
      page: "access",
      title: "Access",
      subtitle: `${holders.length === 1 ? "1 person has" : `${countText(holders.length)} people have`} full access now · ${formatCount(administrators.length, "administrator")} and account owners among them`,
    },
    html``,
  );
  yield before;
  yield `<div class="grid g32 mt16">${getMarkupText(writeHolders(holders, display))}`;
  yield await tryPart(async () => {
    const databases = await ask(site, gone, (connection) => readDatabases(connection, source, on));
    return writeDatabases(databases, holders.length);
  });
  yield "</div>";
  const quiet: Markup[] = [];
  const snapshots = await ask(site, gone, (connection) => readSnapshots(connection, source));
  yield '<div class="grid g2 mt16">';
  for (const [name, nothing] of reviewed)
    yield await tryPart(async () => {
      if (name === "permission_drift" && snapshots.seen === 0 && snapshots.policies > 0)
        return writeUnseen(snapshots.policies);
      const card = await writeReportCard(visit, name);
      if (card === null) quiet.push(html`<li><a href="/reports/${name}">${nothing}</a></li>`);
      return card;
    });
  yield "</div>";
  yield getMarkupText(html`${writeQuiet(quiet)} ${writeQuestions()}`);
  yield after;
}

// Without a snapshot the log cannot be compared.
function writeUnseen(policies: number): Markup {
  const things = policies === 1 ? "1 policy are" : `${countText(policies)} policies are`;
  return html`<div class="card">
    <div class="hd">
      <h2>Permission drift</h2>
      <span class="sp"></span><a class="small" href="/reports/permission_drift">Policies</a>
    </div>
    <p class="bd">
      <b>Permissions of ${things} unknown before the log.</b> Run
      <code>auditlake policy snapshot</code> to compare them with the log.
    </p>
  </div>`;
}

function writeQuiet(quiet: Markup[]): Markup | null {
  if (quiet.length === 0) return null;
  return html`<div class="card mt16">
    <div class="hd"><h2>Checked, nothing found</h2></div>
    <div class="bd">
      <ul class="plain">
        ${[...quiet]}
      </ul>
    </div>
  </div>`;
}

function writeQuestions(): Markup {
  return html`<div class="grid g2 mt16">
    <div class="card">
      <div class="hd"><h2>What may a person do?</h2></div>
      <div class="bd">
        <form action="/reports/user_permissions" class="form">
          ${writeField("user", "Person", "", "e-mail or user id")}
          ${writeField("on", "On", "", "now")}
          <button class="btn">Search</button>
        </form>
      </div>
    </div>
    <div class="card">
      <div class="hd"><h2>Who can reach a database?</h2></div>
      <div class="bd">
        <form action="/reports/database_access" class="form">
          ${writeField("database", "Database", "", "name")} ${writeField("on", "On", "", "now")}
          <button class="btn">Search</button>
        </form>
      </div>
    </div>
  </div>`;
}

const rowsShown = 5;
const columnsShown = 5;

/** The first rows of a report with its count, in a card; null where it has no rows. */
async function writeReportCard(visit: Visit, name: string): Promise<Markup | null> {
  const { site, gone, display } = visit;
  const report = site.found().reports.find((each) => each.name === name && each.isBuiltIn);
  if (report === undefined) return null;
  const given = report.params.some((param) => param.name === "since")
    ? new Map([["since", "30d"]])
    : new Map<string, string>();
  const question = buildQuestion(report, given, site.world.now());
  const { columns, rows, total } = await ask(site, gone, async (connection, signal) => {
    const all = await runStatement(connection, bindQuestion(question), signal);
    return { columns: all.columns, ...(await readRows(all, rowsShown)) };
  });
  const href = `/reports/${name}${given.size === 0 ? "" : "?since=30d"}`;
  if (total === 0) return null;
  return writeTable({
    columns: columns.map((column, i) => ({ ...column, isHidden: i >= columnsShown })),
    rows,
    label: report.title,
    title: report.title,
    note: formatCount(total, "row"),
    display,
    leads: newLeads({ since: "30d" }),
    foot: html`<span>${countText(rows.length)} of ${formatCount(total, "row")}</span
      ><a href="${href}">Show all</a>`,
  });
}
