import {
  findLiftable,
  readSuppressions,
  type Suppression,
} from "../../../answers/findings/suppressions.ts";
import { type Display, formatTime } from "../../../base/html/formats.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { writePlainTable } from "../../../base/html/table.ts";
import { countText } from "../../../base/terminal/amounts.ts";
import { checkReason } from "../../../core/decide/checks.ts";
import { ask } from "../ask.ts";
import { writePage } from "../frame.ts";
import type { Site } from "../site.ts";
import type { Visit } from "../visit.ts";
import { getVisitor } from "../visitor.ts";
import { decide, type Form } from "./decide.ts";
import type { FormNote } from "./list-page.ts";
import { writeReason } from "./forms.ts";

const path = "/findings/suppressions";

/** All suppressions with what each hides; those in force can be lifted. */
export async function writeSuppressionsPage(visit: Visit, note?: FormNote): Promise<string> {
  const { site, gone, display } = visit;
  site.asked.add("findings", "suppressions");
  const all = await ask(site, gone, (connection) => readSuppressions(connection, site.world.now()));
  const inForce = all.filter(({ state }) => state === "active" || state === "ending");
  const ended = all.filter((each) => !inForce.includes(each));
  const ending = inForce.filter(({ state }) => state === "ending").length;
  return writePage(
    {
      visit,
      page: "findings",
      title: "Suppressions",
      crumbs: [
        ["Findings", "/findings"],
        ["Suppressions", undefined],
      ],
      subtitle: `${countText(inForce.length)} in force · ${countText(ending)} ending within 7 days · ${countText(ended.length)} ended`,
    },
    html`${note === undefined ? null : html`<p class="bad" role="alert">${note.problem}</p>`}
    ${
      all.length === 0
        ? html`<div class="card">
            <div class="bd">
              <p><b>No suppressions.</b> To add one, open a finding and choose Suppress…</p>
            </div>
          </div>`
        : null
    }
    ${inForce.map((each) => writeCurrent(visit, each, note))}
    ${ended.length === 0 ? null : writeEnded(ended, display)}`,
  );
}

function describe({ conditions }: Suppression): string {
  const values = Object.entries(JSON.parse(conditions) as Readonly<Record<string, string>>);
  return values.map(([column, value]) => `${column.replaceAll("_", " ")} ${value}`).join(", ");
}

function writeCurrent(visit: Visit, each: Suppression, note: FormNote | undefined): Markup {
  const { display, site } = visit;
  const { suppressionId, detection, suppressedUntil, findings, decidedBy, decidedAt, reason } =
    each;
  const isRefused = note?.filled["decision"] === suppressionId;
  return html`<div class="card mt12">
    <div class="hd">
      <h2><a href="/findings/detections/${detection}">${detection}</a></h2>
      <span class="muted">only for ${describe(each)}</span>
      <span class="sp"></span>
      ${each.state === "ending" ? html`<span class="sev med">ending</span>` : html`<span class="tag">active</span>`}
    </div>
    <div class="bd">
      <dl class="kv">
        <dt>Until</dt>
        <dd>${formatTime(suppressedUntil, { ...display, day: true })}</dd>
        <dt>Hides</dt>
        <dd>
          ${
            findings === 0
              ? html`<span class="muted">0</span>`
              : html`<a
                  href="/findings?state=suppressed&amp;detection=${detection}&amp;since=2000-01-01&amp;until=now"
                  >${countText(findings)}</a
                >`
          }
        </dd>
        <dt>Made by</dt>
        <dd>${decidedBy} ${formatTime(decidedAt, display)}</dd>
        <dt>Reason</dt>
        <dd>${reason}</dd>
        <dt>Id</dt>
        <dd><span class="mono">${suppressionId}</span></dd>
      </dl>
      ${
        getVisitor()?.isResponder === true
          ? html`<details class="mt12" ${isRefused ? html` open` : null}>
              <summary>Unsuppress…</summary>
              <form class="form mt8" method="post" action="${path}">
                ${site.forms.write(path)}
                <input type="hidden" name="decision" value="${suppressionId}" />
                ${writeReason(isRefused ? note.filled : {})}
                <button class="btn">Unsuppress</button>
              </form>
              <p class="small muted mt8">The findings that it hides are open again.</p>
            </details>`
          : null
      }
    </div>
  </div>`;
}

function writeEnded(ended: readonly Suppression[], display: Display): Markup {
  return html`<div class="card mt16">
    <div class="hd"><h2>Ended</h2></div>
    <div class="bd"></div>
    ${writePlainTable(
      "Suppressions that ended",
      ["Detection", "Only for", "Ended", "How", ["Hides", "n"], "Reason"],
      ended.map((each) => {
        const isLifted = each.liftedBy !== null;
        return html`<tr>
          <td><a href="/findings/detections/${each.detection}">${each.detection}</a></td>
          <td>${describe(each)}</td>
          <td>${formatTime(isLifted ? each.liftedAt! : each.suppressedUntil, display)}</td>
          <td>${isLifted ? `lifted by ${each.liftedBy}: ${each.liftedReason}` : "expired"}</td>
          <td class="n">${countText(each.findings)}</td>
          <td>${each.reason}</td>
        </tr>`;
      }),
    )}
  </div>`;
}

/** Lifts the suppression of a form. Throws UsageError for an unknown or lifted one, and for a bad reason. */
export async function unsuppressByForm(site: Site, form: Form): Promise<void> {
  const id = form.get("decision") ?? "";
  const reason = checkReason(form.get("reason") ?? "");
  site.asked.add("decision", `unsuppress ${id}`);
  await decide(site, async (connection) => {
    const { detection } = await findLiftable(connection, id, site.world.now());
    return [{ decision: "unsuppress", detection, finding_id: id, reason }];
  });
}
