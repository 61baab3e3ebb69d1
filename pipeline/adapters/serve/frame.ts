import { writeStatusLine } from "../../answers/page-file/blocks/status.ts";
import { readAsset } from "../../base/home/assets.ts";
import { type DocumentOptions, htmlDocument } from "../../base/html/document.ts";
import {
  type Content,
  escapeField,
  getMarkupText,
  html,
  type Markup,
  trustMarkup,
} from "../../base/html/markup.ts";
import { buildPageUrl, writeRangePicker } from "./range.ts";
import type { Visit } from "./visit.ts";

/** The parts around the content of a page. */
export type Frame = {
  readonly visit: Visit;
  /** Which entry of the navigation is the current one. */
  readonly page: PageName | undefined;
  readonly title: string;
  readonly subtitle?: Content;
  /** Where the page is below, from the top: names and addresses. */
  readonly crumbs?: readonly (readonly [name: string, href: string | undefined])[];
  readonly actions?: Content;
  /** Whether the page has a range: it shows the picker, and `visit.range` applies. */
  readonly range?: boolean;
  /** Whether to omit the status line, since the page itself has more. */
  readonly hasOwnStatus?: boolean;
};

const entries = [
  ["overview", "/", "Overview"],
  ["findings", "/findings", "Findings"],
  ["events", "/events", "Events"],
  ["people", "/people", "People"],
  ["reports", "/reports", "Reports"],
  ["access", "/access", "Access"],
  ["sql", "/sql", "SQL"],
] as const;

export type PageName = (typeof entries)[number][0];

/** A page of the server inside its frame. */
export function writePage(frame: Frame, content: Markup, more: DocumentOptions = {}): string {
  const headScripts = ["theme", "waiting"].map((name) =>
    readAsset(`pipeline/base/html/${name}.js`),
  );
  return htmlDocument(
    `${frame.title} – auditlake`,
    html`<a class="skip" href="#main">Skip to content</a>${writeTop(frame)}
      <main id="main">
        ${writeCrumbs(frame)} ${writeHead(frame)}
        ${frame.hasOwnStatus === true ? null : writeStatus(frame.visit)} ${content}
      </main>`,
    { ...more, headScripts: [...headScripts, ...(more.headScripts ?? [])], hasForms: true },
  );
}

function writeStatus({ facts, display, site }: Visit): Markup {
  if (facts === undefined)
    return html`<div class="status"><span class="lead">Completeness is being checked.</span></div>`;
  return writeStatusLine(facts.status, { display, nowMs: site.world.now(), isLinked: true });
}

const here = trustMarkup("<!-- here -->");

/** A page in two pieces, around what comes piece by piece below its content. */
export function writePageAround(
  frame: Frame,
  content: Markup,
  more: DocumentOptions = {},
): [string, string] {
  const page = writePage(frame, html`${content}${here}`, more);
  const [before, after] = page.split(getMarkupText(here));
  return [before!, after!];
}

function writeTop({ visit, page }: Frame): Markup {
  return html`<header class="top">
    <a class="brand" href="/"
      ><svg viewBox="0 0 20 20" aria-hidden="true">
        <rect class="l3" x="1" y="3" width="18" height="3.4" rx="1.7" />
        <rect class="l2" x="1" y="8.3" width="13" height="3.4" rx="1.7" />
        <rect class="l1" x="1" y="13.6" width="8" height="3.4" rx="1.7" /></svg
      >auditlake</a
    >
    <nav class="nav" aria-label="Main">
      ${entries.map(([name, href, label]) => writeEntry(visit, name === page, href, label))}
    </nav>
    <span class="sp only-w"></span>
    ${writeSourceSwitch(visit)} ${writeZoneSwitch(visit)}
    <form class="jump" role="search" aria-label="Go to" action="/jump">
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <circle cx="11" cy="11" r="7" />
        <path d="M21 21l-5-5" />
      </svg>
      <input
        type="search"
        name="to"
        required
        autocomplete="off"
        aria-label="Go to a person, address, job, report or finding"
        placeholder="Person, address, job…  /"
      />
    </form>
    <button
      class="btn icon"
      id="theme"
      type="button"
      hidden
      aria-label="Switch light and dark theme"
    >
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d="M12 3a9 9 0 109 9 7 7 0 01-9-9z" />
      </svg>
    </button>
  </header>`;
}

function writeEntry({ facts }: Visit, isCurrent: boolean, href: string, label: string): Markup {
  const urgent = href === "/findings" ? (facts?.urgent ?? 0) : 0;
  const badge =
    urgent === 0 ? null : html`<span class="cnt" title="open, critical and high">${urgent}</span>`;
  return html`<a href="${href}" ${isCurrent ? html` aria-current="page"` : null}
    >${label}${badge}</a
  >`;
}

// With one source there is no choice.
function writeSourceSwitch(visit: Visit): Markup | null {
  const { facts, site, path, params } = visit;
  const { sources = [] } = facts ?? {};
  if (sources.length < 2) return null;
  const chosen = site.settings.flags.source ?? "";
  const option = (value: string, label: string): Markup =>
    html`<option value="${value}" ${value === chosen ? html` selected` : null}>${label}</option>`;
  return html`<form class="switch" action="${path}">
    ${[...params].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    <select name="source" aria-label="Source" data-sends>
      ${option("", "All sources")}${sources.map((name) => option(name, name))}
    </select>
    <button class="btn s">Show</button>
  </form>`;
}

function writeZoneSwitch(visit: Visit): Markup | null {
  const configured = visit.site.settings.config.timezone;
  if (configured === "UTC") return null;
  const current = visit.display.zone;
  const links = [configured, "UTC"].map(
    (zone) =>
      html`<a
        href="${buildPageUrl(visit, { zone })}"
        ${zone === current ? html` aria-current="true"` : null}
        >${zone}</a
      >`,
  );
  return html`<div class="seg zone" role="group" aria-label="Time zone">${links}</div>`;
}

function writeCrumbs({ crumbs }: Frame): Markup | null {
  if (crumbs === undefined) return null;
  const parts = crumbs.map(
    ([name, href], i) =>
      html`${i === 0 ? null : " / "}${href === undefined ? name : html`<a href="${href}">${name}</a>`}`,
  );
  return html`<div class="small muted sub">${parts}</div>`;
}

function writeHead({ visit, title, subtitle, actions, range = false }: Frame): Markup {
  return html`<div class="head">
    <div>
      <h1>${title}</h1>
      ${subtitle ? html`<p class="sub">${subtitle}</p>` : null}
    </div>
    <div class="row">${range ? writeRangePicker(visit) : null}${actions}</div>
  </div>`;
}

export function writeField(name: string, label: string, value: string, hint = ""): Markup {
  return html`<label class="field"
    >${label}<input
      name="${name}"
      value="${escapeField(value)}"
      placeholder="${hint}"
      autocomplete="off"
  /></label>`;
}

export function writeProblem(message: string): Markup {
  return html`<p class="problem" role="alert">${message}</p>`;
}
