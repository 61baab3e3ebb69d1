import { parseAst } from "rolldown/parseAst";

/** A node of a parsed file, with its position in the text, in UTF-16 units. */
export type Located = {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [part: string]: unknown;
};

/** Parses a TypeScript file; parentheses leave no nodes of their own. */
export function parse(text: string): Located {
  return parseAst(text, { lang: "ts", preserveParens: false }) as unknown as Located;
}

// Of these a part runs; of other nodes of types nothing does.
const wrappers = /^TS(?:As|NonNull|Satisfies)/;
const silent = /^(?:TS|Import(?:Declaration|Attribute)|ExportAll)/;

/** Visits each node that runs, parents first, with the parent and the name of the part it is. */
export function walk(
  node: Located,
  visit: (node: Located, parent: Located | undefined, part: string) => void,
  parent?: Located,
  part = "",
): void {
  if (silent.test(node.type) && !wrappers.test(node.type)) return;
  visit(node, parent, part);
  for (const [name, value] of Object.entries(node))
    for (const child of Array.isArray(value) ? value : [value])
      if (isNode(child)) walk(child, visit, node, name);
}

function isNode(value: unknown): value is Located {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}
