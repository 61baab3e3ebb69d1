import { readAsset } from "../assets.ts";
import { type DocumentOptions, htmlDocument } from "../html/document.ts";
import { fieldText, html, type Markup } from "../html/markup.ts";

const links = [
  ["/", "Overview"],
  ["/events", "Events"],
  ["/reports", "Reports"],
  ["/access", "Access"],
  ["/sql", "SQL"],
  ["/reference", "Reference"],
] as const;

/** A page of the server, with the way to the others. */
export function sitePage(title: string, content: Markup, more: DocumentOptions = {}): string {
  const scripts = [readAsset("pipeline/html/waiting.js"), ...(more.scripts ?? [])];
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
    { ...more, scripts, hasForms: true },
  );
}

/** A field of a form with its label. */
export function field(name: string, label: string, value: string, hint = ""): Markup {
  return html`<label class="field"
    ><span>${label}</span
    ><input name="${name}" value="${fieldText(value)}" placeholder="${hint}" autocomplete="off"
  /></label>`;
}

/** An error as a page shows it. */
export function problem(message: string): Markup {
  return html`<p class="bad" role="alert">${message}</p>`;
}
