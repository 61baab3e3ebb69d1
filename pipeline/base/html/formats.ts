import { html, type Markup } from "./markup.ts";
import { formatIso, parseSpaced } from "../time/text.ts";
import { computeOffset } from "../time/wall.ts";

// Values as pages show them, with the exact value on hover. Numbers as text are in base/terminal/amounts.ts: `countText`,
// `formatBytes`, `formatDuration`.

export type Display = {
  readonly zone: string;
  /** Times of another year than that of this moment show their year. */
  readonly nowMs?: number | undefined;
  /** The e-mail domain of most users: their addresses are shown without it. */
  readonly domain?: string | undefined;
};

/** What a time shows besides day, hour and minute. */
export type TimeStyle = Display & { readonly seconds?: boolean; readonly day?: boolean };

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/** What clocks of the zone show at a moment; a date without a time has the same day in every zone. */
type Shown = {
  readonly year: number;
  readonly weekday: string;
  /** `22 Nov`. */
  readonly date: string;
  /** `17:50:03.250`; empty for a date. */
  readonly clock: string;
  readonly iso: string;
  readonly offsetMs: number;
};

/** A time as `22 Nov 17:50`, or a date as `Sun 22 Nov`, with the full time in its title; other text unchanged. */
export function formatTime(text: string, style: TimeStyle): Markup {
  const shown = readShown(text, style.zone);
  if (shown === undefined) return html`${text}`;
  return html`<time datetime="${shown.iso}" title="${writeFull(shown, style.zone)}"
    >${writeShort(shown, style)}</time
  >`;
}

/** The same without markup: for labels and titles. */
export function formatTimeText(text: string, style: TimeStyle): string {
  const shown = readShown(text, style.zone);
  return shown === undefined ? text : writeShort(shown, style);
}

/** A range of times as `22 Nov 17:55–18:57`, or of dates as `20–26 Nov`, with the full times in its title. */
export function formatTimeRange(from: string, to: string, style: TimeStyle): Markup {
  const [start, end] = [readShown(from, style.zone), readShown(to, style.zone)];
  if (start === undefined || end === undefined) return html`${from} – ${to}`;
  const title = `${writeFull(start, style.zone)} – ${writeFull(end, style.zone)}`;
  return html`<span title="${title}">${writeRange(start, end, style)}</span>`;
}

/** The same without markup: for labels and titles. */
export function formatTimeRangeText(from: string, to: string, style: TimeStyle): string {
  const [start, end] = [readShown(from, style.zone), readShown(to, style.zone)];
  if (start === undefined || end === undefined) return `${from} – ${to}`;
  return writeRange(start, end, style);
}

function writeRange(start: Shown, end: Shown, style: TimeStyle): string {
  const [first, last] = [writeShort(start, style), writeShort(end, style)];
  if (first === last) return first;
  const isOneDay = start.date === end.date && start.year === end.year;
  if (isOneDay && end.clock !== "") return `${first}–${trimClock(end.clock, style)}`;
  return `${first} – ${last}`;
}

function readShown(text: string, zone: string): Shown | undefined {
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const hasZone = isDate || /(?:Z|[+-]\d{2}:?\d{2})$/.test(text);
  const ms = /^\d{4}-\d{2}-\d{2}/.test(text)
    ? parseSpaced(hasZone ? text : `${text}Z`)
    : Number.NaN;
  if (Number.isNaN(ms)) return undefined;
  const offsetMs = isDate || zone === "UTC" ? 0 : computeOffset(zone, ms);
  const wall = new Date(ms + offsetMs);
  return {
    year: wall.getUTCFullYear(),
    weekday: weekdays[wall.getUTCDay()]!,
    date: `${wall.getUTCDate()} ${months[wall.getUTCMonth()]!}`,
    clock: isDate ? "" : formatIso(wall.getTime()).slice("2026-01-31T".length, -1),
    iso: isDate ? text : formatIso(ms),
    offsetMs,
  };
}

function writeShort(shown: Shown, style: TimeStyle): string {
  const { year, weekday, date, clock } = shown;
  const isOtherYear =
    style.nowMs !== undefined && year !== new Date(style.nowMs + shown.offsetMs).getUTCFullYear();
  return [
    style.day === true || clock === "" ? weekday : "",
    date,
    isOtherYear ? String(year) : "",
    trimClock(clock, style),
  ]
    .filter((part) => part !== "")
    .join(" ");
}

function trimClock(clock: string, { seconds = false }: TimeStyle): string {
  return clock.slice(0, (seconds ? "10:20:30" : "10:20").length);
}

function writeFull({ weekday, date, year, clock, offsetMs }: Shown, zone: string): string {
  const day = `${weekday} ${date} ${year}`;
  if (clock === "") return day;
  return `${day} ${clock} ${zone === "UTC" ? "UTC" : `${zone} (${writeOffset(offsetMs)})`}`;
}

function writeOffset(offsetMs: number): string {
  const minutes = Math.abs(offsetMs) / 60_000;
  const rest = minutes % 60 === 0 ? "" : `:${String(minutes % 60).padStart(2, "0")}`;
  return `UTC${offsetMs < 0 ? "-" : "+"}${Math.floor(minutes / 60)}${rest}`;
}

/** A person: an address of the usual domain without it, the whole address in the title. */
export function writePerson(
  person: string,
  { href, domain }: { readonly href?: string | undefined; readonly domain?: string | undefined },
): Markup {
  const [name = "", host] = person.split("@");
  const isUsual = domain !== undefined && host === domain && name !== "";
  const shown = isUsual ? name : person;
  const title = isUsual ? html` title="${person}"` : null;
  if (href === undefined) return isUsual ? html`<span${title}>${shown}</span>` : html`${person}`;
  return html`<a href="${href}" ${title}>${shown}</a>`;
}
