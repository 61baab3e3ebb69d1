import { escapeLineControls } from "../printable.ts";

/** A piece of HTML. Only `html` and `trustMarkup` make one, so that no text of a record can pass for markup. */
export type Markup = { readonly [brand]: string };

const brand = Symbol("markup");

/** Values of a template: text is escaped; null, undefined and false are empty. */
export type Content = string | number | bigint | boolean | null | undefined | Markup | Content[];

/** Builds markup from a template; values are escaped, control and bidi characters are shown. */
export function html(strings: TemplateStringsArray, ...contents: readonly Content[]): Markup {
  return {
    [brand]: strings.reduce((text, next, i) => text + writeContent(contents[i - 1]) + next),
  };
}

/** Markup that this package or one of its libraries made. */
export function trustMarkup(text: string): Markup {
  return { [brand]: text };
}

/** The text that a field of a form holds: it comes back as it was, but is spelt visibly in the source of the page. */
export function escapeField(text: string): Markup {
  return trustMarkup(
    text.replaceAll(
      /[&<>"'\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
      (character) => entities[character] ?? `&#${character.codePointAt(0)};`,
    ),
  );
}

export function getMarkupText(markup: Markup): string {
  return markup[brand];
}

function writeContent(content: Content): string {
  if (content === null || content === undefined || content === false || content === true) return "";
  if (Array.isArray(content)) return content.map(writeContent).join("");
  if (typeof content === "object") return content[brand];
  return escapeText(String(content));
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeText(text: string): string {
  return escapeLineControls(text).replaceAll(/[&<>"']/g, (character) => entities[character]!);
}
