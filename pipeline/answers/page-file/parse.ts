import { fromMarkdown } from "mdast-util-from-markdown";
import { UsageError } from "../../base/errors.ts";
import { type Content, html, type Markup } from "../../base/html/markup.ts";
import type { Report } from "../../base/report/find.ts";
import { type Block, blockKinds, type PageFile, type Section } from "./page-file.ts";
import { parseBlock } from "./parse-block.ts";

type Source = Pick<PageFile, "name" | "file" | "isBuiltIn">;
type CodeNode = Extract<MarkdownNode, { type: "code" }>;

/** Whether a Markdown text has a block of a page: others are notes beside the reports. */
export function hasBlocks(text: string): boolean {
  const fence = new RegExp(`^ {0,3}(?:\`{3,}|~{3,}) *(?:${blockKinds.join("|")})\\b`, "m");
  return fence.test(text);
}

/** Reads a page from Markdown. Throws UsageError with file and line for a block that is invalid or cannot be shown. */
export function parsePage(text: string, source: Source, reports: readonly Report[]): PageFile {
  const fail = (line: number, message: string): never => {
    throw new UsageError(`${source.file}:${line}: ${message}`);
  };
  const { children } = fromMarkdown(text);
  const first = children.find((node) => node.type === "heading" && node.depth === 1);
  if (first === undefined) fail(1, `the page has no title; expected a line "# Title"`);
  const sections: { heading: string | undefined; parts: (Block | Markup)[] }[] = [
    { heading: undefined, parts: [] },
  ];
  for (const node of children) {
    if (node === first) continue;
    if (node.type === "heading" && node.depth <= 2)
      sections.push({ heading: readPlainText(node), parts: [] });
    else sections.at(-1)!.parts.push(readPart(node, reports, fail));
  }
  const isShown = ({ heading, parts }: Section): boolean =>
    heading !== undefined || parts.length > 0;
  return { ...source, title: readPlainText(first!), sections: sections.filter(isShown) };
}

type Fail = (line: number, message: string) => never;

function readPart(node: MarkdownNode, reports: readonly Report[], fail: Fail): Block | Markup {
  // A line begins a new row of blocks.
  if (node.type === "thematicBreak") return html``;
  const isFenced = node.type === "code" && typeof node.lang === "string";
  return isFenced ? readBlock(node, reports, fail) : writeProse(node);
}

function readBlock(node: CodeNode, reports: readonly Report[], fail: Fail): Block {
  const line = node.position?.start.line ?? 1;
  const kind = blockKinds.find((each) => each === node.lang);
  if (kind === undefined)
    return fail(
      line,
      `unknown block ${JSON.stringify(node.lang)}; expected ${blockKinds.join(", ")}, or no word for code`,
    );
  if (typeof node.meta === "string")
    fail(
      line,
      `found ${JSON.stringify(node.meta)} after ${kind}; expected it on a line of its own`,
    );
  return parseBlock(kind, node.value.split("\n"), line, reports, fail);
}

/** A piece of Markdown, as its parser gives it. */
type MarkdownNode = ReturnType<typeof fromMarkdown>["children"][number];

// Other schemes run scripts or open programs.
const safeAddress = /^(?:https?:\/\/|mailto:|[/#?])/i;

const elements: Readonly<Record<string, (inner: Content) => Markup>> = {
  paragraph: (inner) => html`<p>${inner}</p>`,
  heading: (inner) => html`<h3>${inner}</h3>`,
  emphasis: (inner) => html`<em>${inner}</em>`,
  strong: (inner) => html`<strong>${inner}</strong>`,
  blockquote: (inner) => html`<blockquote>${inner}</blockquote>`,
  listItem: (inner) => html`<li>${inner}</li>`,
  inlineCode: (inner) => html`<code>${inner}</code>`,
  code: (inner) => html`<pre>${inner}</pre>`,
  break: () => html`<br />`,
};

/** The text of a page as markup: paragraphs, headings, lists, links, emphasis and code. HTML is shown as text. */
function writeProse(node: MarkdownNode): Markup {
  const inner = readInner(node);
  if (node.type === "link" && safeAddress.test(node.url))
    return html`<a href="${node.url}">${inner}</a>`;
  if (node.type === "list")
    return node.ordered === true
      ? html`<ol>
          ${inner}
        </ol>`
      : html`<ul>
          ${inner}
        </ul>`;
  const write = elements[node.type];
  return write === undefined ? html`${inner}` : write(inner);
}

function readInner(node: MarkdownNode): Content {
  if ("value" in node) return node.value;
  return "children" in node ? node.children.map(writeProse) : null;
}

/** The text of a heading without its marks. */
function readPlainText(node: MarkdownNode): string {
  if ("value" in node) return node.value;
  return "children" in node ? node.children.map(readPlainText).join("") : "";
}
