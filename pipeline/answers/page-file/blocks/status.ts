import { formatTimeText } from "../../../base/html/formats.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { formatIso } from "../../../base/time/text.ts";
import { formatCount } from "../../../base/terminal/amounts.ts";
import { readStatusLine, type StatusLine } from "../../status/status-line.ts";
import type { PageContext } from "../context.ts";

/** A block `status`: how complete the data is, in one line. */
export async function writeStatus(context: PageContext): Promise<Markup> {
  return writeStatusLine(await readLine(context), context);
}

export async function readLine(context: PageContext): Promise<StatusLine> {
  const { source, config, nowMs } = context;
  return await context.query((connection) => readStatusLine(connection, source, config, nowMs));
}

const dots = {
  complete: "good",
  imported: "good",
  incomplete: "warn",
  stale: "bad",
  empty: "bad",
} as const;

/** The status line with its parts; the page of the pipeline has the rest. */
export function writeStatusLine(
  line: StatusLine,
  { isLinked, ...context }: Pick<PageContext, "display" | "nowMs" | "isLinked">,
): Markup {
  const { lead, rest } = describeStatus(line, context);
  return html`<div class="status">
    <span class="lead"><span class="dot ${dots[line.level]}"></span><b>${lead}</b></span>
    ${rest === undefined ? null : html`<span>${rest}</span>`}
    ${listParts(line).map((part) => html`<span class="sep only-w">·</span><span>${part}</span> `)}
    <span class="sp"></span>
    ${writeDetails(line)} ${isLinked ? html`<a href="/pipeline">Pipeline status</a>` : null}
  </div>`;
}

// What does not decide whether the data can be relied on.
function writeDetails({ waiting, unknownTypes }: StatusLine): Markup | null {
  if (waiting === 0 && unknownTypes === 0) return null;
  return html`<details>
    <summary>Details</summary>
    <ul class="plain">
      ${
        waiting === 0
          ? null
          : html`<li>
              ${formatCount(waiting, "window")} of the log read once; a second read will verify
              ${waiting === 1 ? "it" : "them"}.
            </li>`
      }
      ${
        unknownTypes === 0
          ? null
          : html`<li>
              <a href="/reports/unknown_events"
                >${formatCount(unknownTypes, "unknown event type")}</a
              >: loaded, but not described in the catalog.
            </li>`
      }
    </ul>
  </details>`;
}

/** The status in words: what leads, and the sentences that follow where something is wrong. */
export function describeStatus(
  { level, throughMs, incompleteFromMs, reason }: StatusLine,
  { display, nowMs }: Pick<PageContext, "display" | "nowMs">,
): { readonly lead: string; readonly rest: string | undefined } {
  const toText = (ms: number | undefined): string =>
    ms === undefined ? "–" : formatTimeText(formatIso(ms), { ...display, day: true });
  const why = reason === undefined ? "" : `${reason.slice(0, 1).toUpperCase()}${reason.slice(1)}. `;
  switch (level) {
    case "empty":
      return { lead: "No events yet.", rest: "Run auditlake ingest, then reload." };
    case "stale": {
      const hours = Math.round((nowMs - (throughMs ?? nowMs)) / 3_600_000);
      return {
        lead: `Last data ${toText(throughMs)}, ${hours} h ago.`,
        rest: why.trim() || "No scheduled run read the service since.",
      };
    }
    case "incomplete":
      return {
        lead: `Data is incomplete since ${toText(incompleteFromMs)}.`,
        rest: `${why}Counts after that are too low.`,
      };
    case "imported":
      return {
        lead: `Imported events up to ${toText(throughMs)} ${display.zone}`,
        rest: undefined,
      };
    case "complete":
      return {
        lead: `Data complete through ${toText(throughMs)} ${display.zone}`,
        rest: undefined,
      };
  }
}

export function listParts({ level, gaps }: StatusLine): string[] {
  if (level === "empty" || level === "imported") return [];
  return [gaps === 0 ? "no gaps" : formatCount(gaps, "gap")];
}
