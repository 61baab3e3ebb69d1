import { UsageError } from "../../base/errors.ts";
import { formatTimeRangeText, formatTimeText } from "../../base/html/formats.ts";
import { html, escapeField, type Markup } from "../../base/html/markup.ts";
import { parseMoment } from "../../base/time/times.ts";
import { formatIso } from "../../base/time/text.ts";
import type { PageRange, Visit } from "./visit.ts";

const presets = [
  ["24h", "24 h"],
  ["7d", "7 d"],
  ["30d", "30 d"],
] as const;

/** The address of the same page with other parameters; null removes one. */
export function buildPageUrl(
  { path, params }: Pick<Visit, "path" | "params">,
  changes: Readonly<Record<string, string | null>>,
): string {
  const changed = new URLSearchParams(params);
  for (const [name, value] of Object.entries(changes))
    if (value === null) changed.delete(name);
    else changed.set(name, value);
  const text = changed.toString();
  return text === "" ? path : `${path}?${text}`;
}

/** The choice of a range: lengths up to now, the range before and after this one, and any other. */
export function writeRangePicker(visit: Visit): Markup {
  const { range } = visit;
  const isUntilNow = range.until === "now";
  const links = presets.map(([since, label]) => {
    const isCurrent = isUntilNow && range.since === since;
    const href = buildPageUrl(visit, { since, until: null });
    return html`<a href="${href}" ${isCurrent ? html` aria-current="true"` : null}>${label}</a>`;
  });
  const isCustom = !isUntilNow || !presets.some(([since]) => since === range.since);
  const [before, after] = shiftRange(range, visit.site.world.now());
  return html`<div class="row range">
    ${writeStep(visit, before, "Previous range", "‹")}
    <div class="seg" role="group" aria-label="Time range">
      ${links}
      <details class="custom"
        ><summary${isCustom ? html` aria-current="true"` : null}>${isCustom ? describe(visit) : "Custom"}</summary
        >${writeCustom(visit)}</details
      >
    </div>
    ${writeStep(visit, after, "Next range", "›")}
  </div>`;
}

function writeStep(
  visit: Visit,
  range: PageRange | undefined,
  label: string,
  sign: string,
): Markup {
  if (range === undefined)
    return html`<span class="btn icon off" aria-hidden="true">${sign}</span>`;
  return html`<a class="btn icon" href="${buildPageUrl(visit, range)}" aria-label="${label}"
    >${sign}</a
  >`;
}

function describe({ range, display }: Visit): string {
  return range.until === "now"
    ? `${formatTimeText(range.since, display)} – now`
    : formatTimeRangeText(range.since, range.until, display);
}

function writeCustom(visit: Visit): Markup {
  const { path, params, range } = visit;
  const others = [...params].filter(([name]) => name !== "since" && name !== "until");
  return html`<form class="card form pop" action="${path}">
    ${others.map(([name, value]) => html`<input type="hidden" name="${name}" value="${escapeField(value)}" />`)}
    <label class="field"
      >From<input name="since" value="${escapeField(range.since)}" autocomplete="off"
    /></label>
    <label class="field"
      >Until<input name="until" value="${escapeField(range.until)}" autocomplete="off"
    /></label>
    <button class="btn pri">Show</button>
    <p class="small muted">A date, a time, 12h, yesterday, last month, now</p>
  </form>`;
}

/** The ranges of the same length before and after one; undefined after now, or where the range is invalid. */
export function shiftRange(
  range: PageRange,
  nowMs: number,
): [PageRange | undefined, PageRange | undefined] {
  try {
    const [sinceMs, untilMs] = [parseMoment(range.since, nowMs), parseMoment(range.until, nowMs)];
    const lengthMs = untilMs - sinceMs;
    if (lengthMs <= 0) return [undefined, undefined];
    const shift = (byMs: number): PageRange => ({
      since: formatIso(sinceMs + byMs),
      until: formatIso(untilMs + byMs),
    });
    return [shift(-lengthMs), untilMs >= nowMs ? undefined : shift(lengthMs)];
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return [undefined, undefined];
  }
}
