import { escapeControls } from "../../base/printable.ts";
import { type Content, html, type Markup, trustMarkup } from "../../base/html/markup.ts";
import type { Frame } from "./chart.ts";

type Tag =
  | "svg"
  | "g"
  | "a"
  | "rect"
  | "line"
  | "circle"
  | "path"
  | "text"
  | "tspan"
  | "title"
  | "defs"
  | "pattern";

type Attributes = Readonly<Record<string, string | number | undefined>>;

/** Writes an element of a drawing; numbers are pixels, undefined attributes are omitted. */
export function draw(tag: Tag, attributes: Attributes, content?: Content): Markup {
  const written = Object.entries(attributes).map(([name, value]) => {
    if (value === undefined) return "";
    const text = typeof value === "number" ? String(Math.round(value * 10) / 10) : value;
    return html`${trustMarkup(` ${name}="`)}${text}${trustMarkup('"')}`;
  });
  return html`${trustMarkup(`<${tag}`)}${written}${trustMarkup(">")}${content}${trustMarkup(`</${tag}>`)}`;
}

/** A part of the width, as an attribute has it: `12.5%`. */
export function formatPercent(share: number): string {
  return `${Math.round(share * 100_000) / 1000}%`;
}

/** A rectangle whose x and width are parts of the plot's width, and whose y and height are pixels. */
export type Box = {
  readonly x: number;
  readonly width: number;
  readonly y: number;
  readonly height: number;
};

/** Draws a rectangle in a class of the style sheet. */
export function drawBox({ x, width, y, height }: Box, name: string): Markup {
  return draw("rect", { class: name, x: formatPercent(x), width: formatPercent(width), y, height });
}

type Pair = readonly [number, number];

/** Draws a line across parts of the width, at heights in pixels. */
export function drawRule(name: string, [x1, x2]: Pair, [y1, y2]: Pair): Markup {
  return draw("line", { class: name, x1: formatPercent(x1), x2: formatPercent(x2), y1, y2 });
}

/** Tooltip and link of a mark. */
export type Answer = {
  /** The lines of its tooltip, which is also its name for screen readers. */
  readonly lines: readonly string[];
  readonly href?: string | undefined;
  /** Whether it is the tab stop of its chart. */
  readonly isStop?: boolean;
};

/** Makes marks answer to pointer and keyboard: a link where it leads somewhere. */
export function wrapMark({ lines, href, isStop = false }: Answer, marks: Content): Markup {
  // A line break in a name is no new line.
  const label = lines.map(escapeControls).join("\n");
  const common = { tabindex: isStop ? "0" : "-1", "data-t": "", "aria-label": label };
  return href === undefined
    ? draw("g", { role: "img", ...common }, marks)
    : draw("a", { href, ...common }, marks);
}

/** A chart with marks that arrow keys visit. */
type Group = {
  readonly label: string;
  readonly height: number;
  readonly frame?: Frame | undefined;
  /** The longest label left of the plot. */
  readonly longest: number;
  /** Attributes for scripts. */
  readonly data?: Attributes;
};

/** Draws a chart with space for the labels at its left; as part of a picture it only takes its place. */
export function drawGroup(
  { label, height, frame, longest, data }: Group,
  content: Content,
): Markup {
  if (frame !== undefined)
    return draw("svg", { class: "ch", ...frame, height, overflow: "visible" }, content);
  const attributes = { class: "ch", height, role: "group", "aria-label": label };
  const svg = draw("svg", { ...attributes, "data-rove": "", ...data }, content);
  const className = longest === 0 ? "plot np" : longest > 5 ? "plot w" : "plot";
  return html`<div class="${className}">${svg}</div>`;
}

/** A picture that is one thing to a screen reader. */
export function drawImage(label: string, height: number, content: Content): Markup {
  return draw("svg", { class: "ch", height, role: "img", "aria-label": label }, content);
}
