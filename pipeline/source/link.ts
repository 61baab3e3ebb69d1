// One link: <address> and its parameters, values quoted or not (RFC 8288).
const linkPattern = /<([^>]*)>((?:\s*;\s*[\w*-]+\s*(?:=\s*(?:"(?:[^"\\]|\\.)*"|[^",;\s]+))?)*)/g;
const parameterPattern = /;\s*([\w*-]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^",;\s]+)))?/g;

/** The address in a Link header whose relation is `relation`, or undefined. */
export function linkTo(
  relation: string,
  header: string | string[] | undefined,
): string | undefined {
  const text = [header ?? []].flat().join(", ");
  for (const [, address, parameters = ""] of text.matchAll(linkPattern)) {
    const named = [...parameters.matchAll(parameterPattern)].map(
      ([, name = "", quoted, bare]) => [name.toLowerCase(), quoted ?? bare ?? ""] as const,
    );
    // The first relation counts; a link of another place than this page says nothing about what follows it.
    const relations = named.find(([name]) => name === "rel")?.[1] ?? "";
    const isOurs = !named.some(([name]) => name === "anchor");
    if (isOurs && relations.toLowerCase().split(/\s+/).includes(relation)) return address;
  }
  return undefined;
}
