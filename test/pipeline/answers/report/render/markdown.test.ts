import fc from "fast-check";
import { marked } from "marked";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { expect, test } from "vitest";
import type { Column } from "../../../../../pipeline/base/rows/row.ts";
import { render, buildResult, textColumns } from "../support.ts";

test("a Markdown table has no markup in its cells", async () => {
  const columns: Column[] = [
    ...textColumns("actor_email", "note"),
    { name: "n", type: "BIGINT", kind: "number" },
  ];
  const result = buildResult(columns, [
    ["a_b@example.com", "x | y\r\nsecond\u001b", 3n],
    [null, "<b>*bold*</b> [l](http://x) ![i](u) `c` &amp; _e_ \\", -1n],
  ]);
  expect(await render("markdown", result)).toBe(
    [
      "| actor_email | note | n |",
      "| --- | --- | ---: |",
      String.raw`| a_b@<!-- -->example.com | x \| y<br>second\\u001b | 3 |`,
      String.raw`|  | \<b\>\*bold\*\</b\> \[l\](http:<!-- -->//x) \!\[i\](u) \`c\` &amp;amp; \_e\_ \\ | -1 |`,
      "",
    ].join("\n"),
  );
});

type Node = { readonly type: string; readonly value?: string; readonly children?: readonly Node[] };

// The cells of the first row, as one renderer and as another read them: their links, and their text.
function buildTree(markdown: string): { links: number; text: string } {
  const options = { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] };
  const all = (node: Node): Node[] => [node, ...(node.children ?? []).flatMap(all)];
  const nodes = all(fromMarkdown(markdown, options));
  const cells = nodes.filter(({ type }) => type === "tableCell").slice(1);
  const texts = cells.flatMap(all).filter(({ type }) => type === "text");
  const links = nodes.filter(({ type }) => /link|image|reference/i.test(type));
  return { links: links.length, text: texts.map(({ value }) => value).join("") };
}

function buildPage(markdown: string): { links: number; text: string } {
  const html = marked.parse(markdown, { async: false, gfm: true });
  const [, cell = ""] = /<td>(.*?)<\/td>/s.exec(html) ?? [];
  const names: Record<string, string> = { lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&" };
  const text = cell
    .replaceAll(/<!--.*?-->/g, "")
    .replaceAll(/&([a-z0-9#]+);/g, (_, one) => names[String(one)]!);
  return { links: html.match(/<(a|img)\b/gi)?.length ?? 0, text };
}

const renderers = [buildTree, buildPage];
const addresses = [
  ["http://evil", "https://evil.example/x?a=1&b=2", "HTTP://EVIL.example", "ftp://evil.example"],
  ["www.x", "www.evil.example", "WWW.evil.example/x", "a@b.c", "rosa.o'h+x_y@evil-x.example.com"],
  ["mailto:a@b.example", "xmpp:a@b.example/r", "<http://evil.example>", "<a@b.example>"],
  [
    "[x]: http://evil.example",
    "[x](www.evil.example)",
    "![x](http://evil.example)",
    "http://www.x.y",
  ],
  [
    "://www.x.y",
    "@a@b.example",
    "http:\\//evil.example",
    "http&colon;//evil.example",
    "user@[1.2.3.4]",
  ],
].flat();

test("property: no bare address becomes a link, and the text is unchanged", async () => {
  const part = fc.oneof(
    fc.constantFrom(...addresses),
    fc.string({ unit: fc.constantFrom(..."aw.:/@_*~()<>&;-+\\ 1é"), maxLength: 6 }),
    fc.constantFrom("http", "https", "www", "://", ".", "@", "www.", "mailto:", "x.example"),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 4 }), async (parts) => {
      // Blanks at the edges of a cell are not shown, and several count as one.
      const cell = `x${parts.join("")}x`.replaceAll(/ +/g, " ");
      const markdown = await render("markdown", buildResult(textColumns("c"), [[cell]]));
      for (const read of renderers) expect(read(markdown)).toEqual({ links: 0, text: cell });
    }),
    { examples: addresses.map((address) => [[" ", address, " "]]), numRuns: 500 },
  );
});

test("the renderers turn bare addresses into links without escapes", () => {
  for (const address of ["http://evil.example", "www.evil.example", "a@b.example"])
    for (const read of renderers) expect(read(`| c |\n| --- |\n| ${address} |\n`).links).toBe(1);
});
