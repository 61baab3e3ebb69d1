import { escapeField, html, type Markup } from "../../base/html/markup.ts";

export function writeField(name: string, label: string, value: string, hint = ""): Markup {
  return html`<label class="field"
    >${label}<input
      name="${name}"
      value="${escapeField(value)}"
      placeholder="${hint}"
      autocomplete="off"
  /></label>`;
}

/** An error as a page shows it. */
export function writeProblem(message: string): Markup {
  return html`<p class="problem" role="alert">${message}</p>`;
}
