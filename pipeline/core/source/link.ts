// A walk over the header that never goes back, so that its cost is linear in the length: a service may send anything.
// After a malformed link the walk resumes behind the next comma.

type Link = {
  readonly address: string;
  readonly parameters: readonly Parameter[];
  readonly end: number;
};
type Parameter = readonly [name: string, value: string];

/** The address in a Link header whose relation is `relation`, or undefined (RFC 8288). */
export function linkTo(
  relation: string,
  header: string | string[] | undefined,
): string | undefined {
  const text = [header ?? []].flat().join(", ");
  for (let link = linkFrom(text, 0); link !== undefined; link = linkFrom(text, link.end)) {
    const { address, parameters } = link;
    // The first relation counts; a link with another anchor does not concern this page.
    const relations = parameters.find(([name]) => name === "rel")?.[1] ?? "";
    const isOurs = !parameters.some(([name]) => name === "anchor");
    if (isOurs && relations.toLowerCase().split(/\s+/).includes(relation)) return address;
  }
  return undefined;
}

// The next link: <address> and its parameters.
function linkFrom(text: string, from: number): Link | undefined {
  let start = skipCharacters(text, from, " \t,");
  while (start < text.length && text[start] !== "<")
    start = skipCharacters(text, findCharacter(text, start, ","), " \t,");
  const close = text.indexOf(">", start);
  if (close < 0) return undefined;
  const parameters: Parameter[] = [];
  let end = skipCharacters(text, close + 1, " \t");
  while (text[end] === ";") {
    const found = parseParameterAt(text, end + 1);
    parameters.push(found.parameter);
    ({ end } = found);
  }
  return { address: text.slice(start + 1, close), parameters, end: findCharacter(text, end, ",") };
}

function parseParameterAt(text: string, from: number): { parameter: Parameter; end: number } {
  const start = skipCharacters(text, from, " \t");
  const nameEnd = findCharacter(text, start, "=;,");
  const name = text.slice(start, nameEnd).trimEnd().toLowerCase();
  if (text[nameEnd] !== "=") return { parameter: [name, ""], end: nameEnd };
  const at = skipCharacters(text, nameEnd + 1, " \t");
  if (text[at] === '"') {
    const { value, end } = parseQuotedAt(text, at + 1);
    return { parameter: [name, value], end: findCharacter(text, end, ";,") };
  }
  const end = findCharacter(text, at, ";,");
  return { parameter: [name, text.slice(at, end).trimEnd()], end };
}

// A backslash escapes the next character.
function parseQuotedAt(text: string, from: number): { value: string; end: number } {
  const parts: string[] = [];
  let end = from;
  for (;;) {
    const stop = findCharacter(text, end, '"\\');
    parts.push(text.slice(end, stop));
    if (text[stop] !== "\\") return { value: parts.join(""), end: stop + 1 };
    parts.push(text.slice(stop + 1, stop + 2));
    end = stop + 2;
  }
}

function skipCharacters(text: string, from: number, characters: string): number {
  let at = from;
  while (at < text.length && characters.includes(text[at]!)) at++;
  return at;
}

function findCharacter(text: string, from: number, characters: string): number {
  let at = from;
  while (at < text.length && !characters.includes(text[at]!)) at++;
  return at;
}
