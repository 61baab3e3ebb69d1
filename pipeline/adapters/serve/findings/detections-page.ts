import { existsSync } from "node:fs";
import type { Report } from "../../../base/report/find.ts";
import {
  type DetectionState,
  readDetectionStates,
} from "../../../answers/findings/detection-states.ts";
import { UsageError } from "../../../base/errors.ts";
import { type Display, formatTime } from "../../../base/html/formats.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { writeSeverity } from "../../../base/html/signs.ts";
import { countText, formatCount } from "../../../base/terminal/amounts.ts";
import { getCasesFile, readCases } from "../../../core/detection-cases/try-cases.ts";
import { configureDetection, type Detection } from "../../../core/detect/detections.ts";
import { ask } from "../ask.ts";
import { writePage } from "../frame.ts";
import type { Site } from "../site.ts";
import type { Visit } from "../visit.ts";
import { writeCondition } from "./reason-card.ts";

type Listed = { readonly report: Report; readonly state: DetectionState | undefined };

/** All detections: severity, last evaluation, findings of 30 days, test cases, and whether each is enabled. */
export async function writeDetectionsPage(visit: Visit): Promise<string> {
  const { site, display } = visit;
  site.asked.add("findings", "detections");
  const all = await readListed(visit);
  const isEnabled = ({ report }: Listed): boolean => isDetectionEnabled(site, report.name);
  const failed = all.filter(({ state }) => state?.outcome === "failed");
  const off = all.filter((each) => !isEnabled(each)).length;
  const times = new Set(all.map(({ state }) => state?.evaluatedAt));
  const [evaluated] = times.size === 1 ? times : [];
  return writePage(
    {
      visit,
      page: "findings",
      title: "Detections",
      crumbs: [
        ["Findings", "/findings"],
        ["Detections", undefined],
      ],
      subtitle: html`${countText(all.length - off)} enabled · ${countText(off)} disabled ·
      ${countText(failed.length)} failed at their last
      evaluation${evaluated === undefined ? null : html` · all evaluated ${formatTime(evaluated, display)}`}`,
    },
    html`<div class="card tab">
      <div class="tw first" role="region" aria-label="Detections">
        <table class="st" data-sorts>
          <thead>
            <tr>
              <th scope="col">Detection</th>
              <th scope="col">Severity</th>
              <th scope="col" class="p3">ATT&amp;CK</th>
              <th scope="col" class="n">Findings in 30 days</th>
              <th scope="col" class="n p3">Hits</th>
              <th scope="col" class="n p3">Suppressed</th>
              ${evaluated === undefined ? html`<th scope="col">Last evaluated</th>` : null}
              <th scope="col" class="n p3">Test cases</th>
              <th scope="col">State</th>
            </tr>
          </thead>
          <tbody>
            ${all.map((each) => writeRow(each, isEnabled(each), evaluated !== undefined, visit))}
          </tbody>
        </table>
      </div>
    </div>`,
  );
}

async function readListed(visit: Visit): Promise<Listed[]> {
  const { site, gone } = visit;
  const states = await ask(site, gone, (connection) =>
    readDetectionStates(connection, site.settings.flags.source, site.world.now()),
  );
  return site
    .found()
    .reports.filter(({ detection }) => detection !== undefined)
    .toSorted((a, b) => (a.title < b.title ? -1 : 1))
    .map((report) => ({ report, state: states.get(report.name) }));
}

function isDetectionEnabled({ settings }: Site, name: string): boolean {
  return settings.config.detections[name]?.enabled ?? true;
}

function countCases(report: Report): number {
  const path = getCasesFile(report);
  try {
    return existsSync(path) ? readCases(path).cases.length : 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return 0;
  }
}

function writeNumber(value: number, href?: string): Markup {
  if (value === 0) return html`<span class="muted">0</span>`;
  return href === undefined
    ? html`${countText(value)}`
    : html`<a href="${href}">${countText(value)}</a>`;
}

function writeRow(
  { report, state }: Listed,
  isEnabled: boolean,
  isLifted: boolean,
  { site, display }: Visit,
): Markup {
  const { name, title } = report;
  const { severity, form } = configureDetection(report, site.settings.config);
  const findings = state?.findings ?? 0;
  return html`<tr>
    <td><a href="/findings/detections/${name}">${title}</a></td>
    <td data-v="${severity}">${writeSeverity(severity)}</td>
    <td class="p3">${form.attack.join(", ")}</td>
    <td class="n" data-v="${findings}">
      ${writeNumber(findings, `/findings?state=all&detection=${name}&since=30d&until=now`)}
    </td>
    <td class="n p3" data-v="${state?.hits ?? 0}">${writeNumber(state?.hits ?? 0)}</td>
    <td class="n p3" data-v="${state?.suppressed ?? 0}">${writeNumber(state?.suppressed ?? 0)}</td>
    ${isLifted ? null : html`<td>${writeEvaluated(state, display)}</td>`}
    <td class="n p3">${writeNumber(countCases(report))}</td>
    <td>${writeMode(state, isEnabled)}</td>
  </tr>`;
}

function writeEvaluated(state: DetectionState | undefined, display: Display): Markup {
  const at = state?.evaluatedAt;
  return at === undefined ? html`<span class="muted">—</span>` : formatTime(at, display);
}

function writeMode(state: DetectionState | undefined, isEnabled: boolean): Markup {
  if (!isEnabled) return html`<span class="tag">disabled</span>`;
  return state?.outcome === "failed"
    ? html`<span class="sev high" title="${state.error}">failed</span>`
    : html`enabled`;
}

/** A detection: when it fires, limits in force, findings, SQL, test cases and its backtest. Throws UsageError for an unknown name. */
export async function writeDetectionPage(visit: Visit, name: string): Promise<string> {
  const { site, display } = visit;
  site.asked.add("findings", `detection ${name}`);
  const found = (await readListed(visit)).find(({ report }) => report.name === name);
  if (found === undefined) throw new UsageError(`no detection is called ${JSON.stringify(name)}`);
  const { report, state } = found;
  const detection = configureDetection(report, site.settings.config);
  const { form, severity } = detection;
  return writePage(
    {
      visit,
      page: "findings",
      title: report.title,
      crumbs: [
        ["Findings", "/findings"],
        ["Detections", "/findings/detections"],
        [name, undefined],
      ],
      subtitle: html`<span class="row"
        >${writeSeverity(severity)}
        ${form.attack.map((id) => html`<span class="tag">${id}</span> `)}
        ${writeMode(state, isDetectionEnabled(site, name))}</span
      >`,
      actions: html`<a class="btn" href="/reports/${name}">Open as report</a>`,
    },
    html`<div class="grid g21">
      <div class="grid">${writeRule(detection)}</div>
      <div class="grid">
        ${writeActivity(name, state, display)} ${writeLimits(detection)} ${writeTests(report)}
      </div>
    </div>`,
  );
}

function writeCard(title: string, content: Markup): Markup {
  return html`<div class="card">
    <div class="hd"><h2>${title}</h2></div>
    <div class="bd">${content}</div>
  </div>`;
}

function writeRule(detection: Detection): Markup {
  const { form, report } = detection;
  const runbook =
    form.runbook === undefined
      ? null
      : html`<p class="mt12"><b>What to check.</b> ${form.runbook}</p>`;
  return html`${writeCard("When it fires", html`${writeCondition(detection)}${runbook}`)}
    <details class="card fold">
      <summary>SQL</summary>
      <div class="bd"><pre class="code" tabindex="0">${listStatementLines(report)}</pre></div>
    </details>`;
}

// Without the header, whose facts the page shows itself.
function listStatementLines({ sql, lines }: Report): string {
  return sql.split("\n").slice(lines).join("\n").trim();
}

function writeActivity(name: string, state: DetectionState | undefined, display: Display): Markup {
  const link = (shown: string): string =>
    `/findings?state=${shown}&detection=${name}&since=30d&until=now`;
  return writeCard(
    "In 30 days",
    html`<dl class="kv">
      <dt>Findings</dt>
      <dd>${writeNumber(state?.findings ?? 0, link("all"))}</dd>
      <dt>New</dt>
      <dd>${writeNumber(state?.openFindings ?? 0, link("new"))}</dd>
      <dt>Suppressed</dt>
      <dd>${writeNumber(state?.suppressed ?? 0, link("suppressed"))}</dd>
      <dt>Hits</dt>
      <dd>${writeNumber(state?.hits ?? 0)}</dd>
      <dt>Last evaluated</dt>
      <dd>${writeEvaluated(state, display)}</dd>
      ${
        state?.error
          ? html`<dt>Error</dt>
              <dd>${state.error}</dd>`
          : null
      }
    </dl>`,
  );
}

function writeLimits({ parameters }: Detection): Markup {
  const limits = Object.entries(parameters).map(
    ([key, { value }]) =>
      html`<dt>${key.replaceAll("_", " ")}</dt>
        <dd>${value === null ? html`<span class="muted">—</span>` : String(value)}</dd>`,
  );
  return writeCard(
    "Limits in force",
    limits.length === 0
      ? html`<p class="muted">It has no parameters.</p>`
      : html`<dl class="kv">${limits}</dl>`,
  );
}

function writeTests(report: Report): Markup {
  const cases = countCases(report);
  const { name } = report;
  return writeCard(
    "Tests",
    html`<p>
        ${cases === 0 ? "It has no test cases." : `It has ${formatCount(cases, "test case")}.`}
      </p>
      <p class="mt8"><code class="wrapped">auditlake findings test ${name}</code></p>
      <p class="mt12">Before you change it, compare the change with the version in force:</p>
      <p class="mt8">
        <code class="wrapped"
          >auditlake findings backtest ${name} --queries DIR --during 'last 30 days'</code
        >
      </p>`,
  );
}
