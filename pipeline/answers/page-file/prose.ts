import type { fromMarkdown } from "mdast-util-from-markdown";
import { type Content, html, type Markup } from "../../base/html/markup.ts";

/** A piece of Markdown, as its parser gives it. */
export type MarkdownNode = ReturnType<typeof fromMarkdown>["children"][number];

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
export function writeProse(node: MarkdownNode): Markup {
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
export function readPlainText(node: MarkdownNode): string {
  if ("value" in node) return node.value;
  return "children" in node ? node.children.map(readPlainText).join("") : "";
}
