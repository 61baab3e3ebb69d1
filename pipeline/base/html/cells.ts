import { isIP } from "node:net";
import type { Cell, Column, Row } from "../rows/row.ts";
import { countText, formatBytes, formatDuration } from "../terminal/amounts.ts";
import { type Display, formatTime, writePerson } from "./formats.ts";
import { html, type Markup } from "./markup.ts";
import { denialKinds, writeOutcome, writeSeverity, writeState } from "./signs.ts";

/** Where a cell leads to; undefined where it leads nowhere. */
export type Leads = (column: Column, cell: Cell, row: Row) => string | undefined;

const maxCharacters = 2000;
/** More does not fit a line; the title has the full text. */
const shownCharacters = 300;
const titledCharacters = 40;

/** An empty cell. */
export const none = html`<span class="muted none">—</span>`;

/** A cell by the kind and name of its column, in one line. */
export function writeCell(
  column: Column,
  cell: Cell,
  to: string | undefined,
  display: Display,
): Markup {
  if (cell === null || cell === "") return none;
  const written = writeValue(column, cell, to, display);
  if (written !== undefined) return link(written, to);
  return writeText(column, String(cell), to, display);
}

function link(content: Markup, to: string | undefined): Markup {
  return to === undefined ? content : html`<a href="${to}">${content}</a>`;
}

function writeValue(
  { name, kind }: Column,
  cell: Exclude<Cell, null>,
  to: string | undefined,
  display: Display,
): Markup | undefined {
  if (kind === "time") return formatTime(String(cell), display);
  if (kind === "boolean") return html`${cell === true ? "yes" : "no"}`;
  if (kind === "number") return writeAmount(name, String(cell), to);
  if (name === "outcome") return writeOutcome(String(cell));
  if (name === "severity") return writeSeverity(String(cell));
  if (name === "state") return writeState(String(cell));
  if (name === "operation") return html`${String(cell).replaceAll("_", " ")}`;
  const words = name === "denial_kind" ? denialKinds[String(cell)] : undefined;
  return words === undefined ? undefined : html`${words}`;
}

/** Whether a column has numbers that identify: they are written without separators. */
export function isIdentifier({ name }: Column): boolean {
  return /(?:^|_)(?:id|key|year|port|line|status|hour|weekday)$/.test(name);
}

function writeAmount(name: string, text: string, to: string | undefined): Markup {
  const amount = Number(text);
  if (!Number.isFinite(amount) || isIdentifier({ name, type: "", kind: "number" }))
    return html`${text}`;
  if (amount === 0 && to === undefined) return html`<span class="muted">0</span>`;
  if (amount >= 0 && isBytes(name)) return html`${formatBytes(amount)}`;
  if (amount >= 0 && /(?:^|_)seconds$/.test(name)) return html`${formatDuration(amount)}`;
  return html`${formatNumber(text)}`;
}

export function isBytes(name: string): boolean {
  return /(?:^|_)(?:bytes|bytesize)$/.test(name);
}

// More digits are noise for readers; CSV has all.
function formatNumber(text: string): string {
  const [, sign = "", whole, fraction = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === undefined) return text;
  const digits = fraction === "" ? "" : Number(`0.${fraction}`).toFixed(2).slice(1);
  if (digits === ".00" && fraction !== "")
    return `${sign}${groupDigits(Math.round(Number(`${whole}.${fraction}`)))}`;
  return `${sign}${groupDigits(whole)}${digits.replace(/0$/, "")}`;
}

function groupDigits(whole: number | string): string {
  return typeof whole === "number" ? countText(whole) : BigInt(whole).toLocaleString("en-US");
}

const personPattern = /^[^\s@,;]+@[^\s@,;]+$/;
const hexPattern = /^[0-9a-f]{16,}$/;

function writeText(
  column: Column,
  text: string,
  href: string | undefined,
  { domain }: Display,
): Markup {
  if (text.length < 100 && personPattern.test(text)) return writePerson(text, { href, domain });
  const isMono =
    isIP(text) !== 0 ||
    hexPattern.test(text) ||
    /(?:^|_)(?:path|sql|query_text)$/.test(column.name);
  const title = text.length > titledCharacters ? html` title="${cutText(text)}"` : null;
  const shown =
    text.length > shownCharacters ? cutText(text).slice(0, shownCharacters) + "…" : text;
  const line = shown.replaceAll(/(?<!\s)\s*\n\s*/g, " ");
  if (href !== undefined)
    return html`<a href="${href}" ${isMono ? html` class="mono"` : null}${title}>${line}</a>`;
  if (!isMono && title === null) return html`${line}`;
  return html`<span${isMono ? html` class="mono"` : null}${title}>${line}</span>`;
}

/** A row with its texts cut to what a page shows: those of a megabyte would fill the memory, and no page opens with them. */
export function shortenRow(row: Row): Row {
  return row.map((cell) => (typeof cell === "string" ? cutText(cell) : cell));
}

// Truncated and complete texts have equal limits, so that a text is truncated once.
function cutText(text: string): string {
  if (text.length <= maxCharacters) return text;
  const note = ` … (${text.length} characters; complete in other formats)`;
  return `${text.slice(0, maxCharacters - note.length)}${note}`;
}
