import { DOMParser } from "@xmldom/xmldom";
import fc from "fast-check";
import { expect, it } from "vitest";
import { html, getMarkupText } from "../../../../pipeline/base/html/markup.ts";
import { escapeLineControls } from "../../../../pipeline/base/printable.ts";

const hostile = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    '"><script>alert(1)</script>',
    "</title><img src=x onerror=alert(1)>",
    "&lt;b&gt;",
    "' onfocus='alert(1)",
    "\u202emoc.elgoog",
    "<!--",
    "]]>",
  ),
);

it("every text is shown unchanged, in an element and in an attribute", () => {
  fc.assert(
    fc.property(hostile, hostile, (text, name) => {
      const markup = html`<p title="${name}">${text}</p>`;
      const element = new DOMParser().parseFromString(
        getMarkupText(markup),
        "text/xml",
      ).documentElement!;
      // A parser of XML makes blanks of line breaks in attributes.
      expect(element.getAttribute("title")).toBe(escapeLineControls(name).replaceAll("\n", " "));
      expect(element.textContent).toBe(escapeLineControls(text));
      expect(element.childNodes.length).toBeLessThanOrEqual(1);
    }),
  );
});

it("markup and lists of it are inserted unchanged, and nothing for missing values", () => {
  const items = ["a", "<b>"].map((each) => html`<li>${each}</li>`);
  expect(
    getMarkupText(
      html`<ul>
        ${items}${null}${undefined}${false}
      </ul>`,
    ).replaceAll(/\s/g, ""),
  ).toBe("<ul><li>a</li><li>&lt;b&gt;</li></ul>");
});

it("an object of a record is not treated as markup", () => {
  const forged = JSON.parse('{"markup":"<script>"}') as never;
  expect(getMarkupText(html`${[forged]}`)).not.toContain("<script>");
});
