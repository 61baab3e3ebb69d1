import { readAsset } from "../../base/home/assets.ts";
import { type DocumentOptions, htmlDocument } from "../../base/html/document.ts";
import {
  escapeField,
  html,
  type Markup,
  getMarkupText,
  trustMarkup,
} from "../../base/html/markup.ts";

const links = [
  ["/", "Overview"],
  ["/findings", "Findings"],
  ["/events", "Events"],
  ["/reports", "Reports"],
  ["/access", "Access"],
  ["/sql", "SQL"],
  ["/reference", "Reference"],
] as const;

/** A page of the server, with links to the others. */
export function writePage(title: string, content: Markup, more: DocumentOptions = {}): string {
  const headScripts = [readAsset("pipeline/base/html/waiting.js")];
  return htmlDocument(
    `${title} – auditlake`,
    html`<header>
        <nav aria-label="Pages">
          <ul>
            ${links.map(([href, name]) => html`<li><a href="${href}">${name}</a></li>`)}
          </ul>
        </nav>
      </header>
      <main>
        <h1>${title}</h1>
        ${content}
      </main>`,
    { ...more, headScripts, hasForms: true },
  );
}

const here = trustMarkup("<!-- here -->");

/** A page of the server in two pieces, around what comes piece by piece below its content. */
export function writePageAround(title: string, content: Markup): [string, string] {
  const [before, after] = writePage(title, html`${content}${here}`).split(getMarkupText(here));
  return [before!, after!];
}

/** A field of a form with its label. */
export function writeField(name: string, label: string, value: string, hint = ""): Markup {
  return html`<label class="field"
    ><span>${label}</span
    ><input name="${name}" value="${escapeField(value)}" placeholder="${hint}" autocomplete="off"
  /></label>`;
}

/** An error as a page shows it. */
export function writeProblem(message: string): Markup {
  return html`<p class="problem" role="alert">${message}</p>`;
}
