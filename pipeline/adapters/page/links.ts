/**
 * The links of a page that is a file: pages of `serve` at its base address. Without one they lead nowhere, and what was a
 * link is text. Values of attributes are quoted and texts escaped, so only links match.
 */
export function resolveLinks(text: string, baseUrl: string | undefined): string {
  if (baseUrl !== undefined) return text.replaceAll(/ href="\//g, ` href="${baseUrl}/`);
  return text
    .replaceAll(/<a class="btn[^"]*" href="\/[^"]*">[^<]*<\/a>/g, "")
    .replaceAll(/(?<!\s)\s+href="\/[^"]*"/g, "");
}
