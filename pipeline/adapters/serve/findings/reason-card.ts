import type { ShownFinding } from "../../../answers/findings/show.ts";
import {
  describeUsual,
  formatMeasure,
  listConditionParts,
  type Measured,
  nameMeasure,
} from "../../../answers/findings/sentences.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { formatCount } from "../../../base/terminal/amounts.ts";
import { configureDetection, type Detection } from "../../../core/detect/detections.ts";
import type { Site } from "../site.ts";

/** Why a finding was raised: the condition of its detection, and each measure beside its limit. */
export function writeReasonCard(
  site: Site,
  { finding, measures }: ShownFinding,
  fired: number,
): Markup {
  const detection = findDetection(site, finding.detection);
  const usual = describeUsual(measures);
  return html`<div class="card">
    <div class="hd"><h2>Why it fired</h2></div>
    <div class="bd">
      ${detection === undefined ? null : writeCondition(detection)}
      ${measures.length === 0 ? null : html`<dl class="kv mt12">${measures.map(writeMeasure)}</dl>`}
      ${usual === undefined ? null : html`<p class="muted mt12">${usual}</p>`}
      <p class="small mt12">
        <a href="/findings/detections/${finding.detection}">Detection: ${finding.title}</a> ·
        ${fired === 1 ? "fired once" : `fired ${formatCount(fired, "time")}`} in 30 days
      </p>
    </div>
  </div>`;
}

/** A detection as the configuration has it; undefined where no file has it any more. */
export function findDetection(site: Site, name: string): Detection | undefined {
  const report = site.found().reports.find((each) => each.name === name);
  return report?.detection === undefined
    ? undefined
    : configureDetection(report, site.settings.config);
}

/** Writes the condition of a detection as a sentence, with its limits in bold. */
export function writeCondition({ form, parameters, report }: Detection): Markup {
  if (form.condition === undefined) return html`<p>${report.grain}</p>`;
  const parts = listConditionParts(form.condition, parameters).map(({ text, isLimit }) =>
    isLimit ? html`<b>${text}</b>` : text,
  );
  return html`<p>${parts}</p>`;
}

function writeMeasure({ name, value, limit }: Measured): Markup {
  return html`<dt>${nameMeasure(name)}</dt>
    <dd>
      ${formatMeasure(name, value ?? 0)}
      <span class="muted">(limit ${formatMeasure(name, limit ?? 0)})</span>
    </dd>`;
}
