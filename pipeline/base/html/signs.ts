import { html, type Markup } from "./markup.ts";

// Severity, outcome and state have a shape as well as a colour.

type Sign = { readonly name: string; readonly shape: Markup; readonly word: string };

const diamond = html`<path d="M6 0l6 6-6 6-6-6z" />`;
const triangle = html`<path d="M6 1l6 10H0z" />`;
const square = html`<path d="M1 1h10v10H1z" />`;
const disc = html`<circle cx="6" cy="6" r="5" />`;
const dot = html`<circle cx="6" cy="6" r="2.5" />`;

const severities: Readonly<Record<string, Sign>> = {
  critical: { name: "crit", shape: diamond, word: "Critical" },
  high: { name: "high", shape: triangle, word: "High" },
  medium: { name: "med", shape: square, word: "Medium" },
  low: { name: "low", shape: disc, word: "Low" },
  info: { name: "info", shape: dot, word: "Info" },
};

/** A severity as a pill; another word as plain text. */
export function writeSeverity(severity: string): Markup {
  const sign = severities[severity];
  if (sign === undefined) return html`${severity}`;
  return html`<span class="sev ${sign.name}"
    ><svg viewBox="0 0 12 12" aria-hidden="true">${sign.shape}</svg>${sign.word}</span
  >`;
}

const outcomes: Readonly<Record<string, Omit<Sign, "word">>> = {
  succeeded: { name: "ok", shape: disc },
  failed: { name: "fail", shape: triangle },
  denied: { name: "deny", shape: square },
};

/** An outcome with its shape; another word as plain text. */
export function writeOutcome(outcome: string): Markup {
  const sign = outcomes[outcome];
  if (sign === undefined) return html`${outcome}`;
  return html`<span class="oc"
    ><svg class="${sign.name}" viewBox="0 0 12 12" aria-hidden="true">${sign.shape}</svg
    >${outcome}</span
  >`;
}

const states: Readonly<Record<string, Omit<Sign, "shape">>> = {
  open: { name: "new", word: "New" },
  acknowledged: { name: "ack", word: "Acknowledged" },
  closed: { name: "closed", word: "Closed" },
  withdrawn: { name: "gone", word: "Withdrawn" },
  suppressed: { name: "sup", word: "Suppressed" },
};

/** The state of a finding; another word as plain text. */
export function writeState(state: string): Markup {
  const sign = states[state];
  if (sign === undefined) return html`${state}`;
  return html`<span class="state ${sign.name}"><i></i>${sign.word}</span>`;
}

export const denialKinds: Readonly<Record<string, string>> = {
  column_visibility_denial: "Hidden column",
  failed_sign_in: "Failed sign-in",
  unauthorized_action: "Not permitted",
  folder_permission_denial: "Folder",
  failed_result_export: "Export failed",
  denied_job_result_download: "Download refused",
};

/** The square of a legend; `name` is the class of its colour, such as `c1` or `deny`. */
export function writeSwatch(name: string): Markup {
  return html`<svg class="sw" viewBox="0 0 10 10" aria-hidden="true">
    <rect width="10" height="10" class="${name}" />
  </svg>`;
}
