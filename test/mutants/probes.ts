import { parse, walk, type Located } from "./tree.ts";

/** A part of a file that runs as a whole or not at all, and the text that notes it, put in where it begins. */
export type Region = { readonly start: number; readonly end: number };

type Insertion = { readonly at: number; readonly text: string };
type Probe = { readonly region: Region; readonly insertions: readonly Insertion[] };

const functions = /Function/;

/** The regions of a file: bodies of functions, branches, what follows an operator that may stop before it. */
export function listRegions(text: string): Region[] {
  return listProbes(text, "").map(({ region }) => region);
}

/** The file with a call in each region that notes it as `name:start`. */
export function withProbes(text: string, name: string, noteModule: string): string {
  const all = listProbes(text, name).flatMap(({ insertions }) => insertions);
  let out = text;
  for (const { at, text: added } of all.toSorted((a, b) => b.at - a.at))
    out = out.slice(0, at) + added + out.slice(at);
  const [, shebang = ""] = /^(#!.*\n)?/.exec(out)!;
  return `${shebang}import ${JSON.stringify(noteModule)}; ${out.slice(shebang.length)}`;
}

function listProbes(text: string, name: string): Probe[] {
  const probes: Probe[] = [];
  walk(parse(text), (node, parent, part) => {
    const region = buildRegion(node, parent, part);
    if (region === undefined) return;
    const call = `globalThis.__reach(${JSON.stringify(`${name}:${region.start}`)})`;
    probes.push({ region, insertions: listInsertions(node, call) });
  });
  return probes;
}

// A function is its region from its parameters on; its body is where the call is.
function buildRegion(node: Located, parent: Located | undefined, part: string): Region | undefined {
  if (parent === undefined) return undefined;
  if (part === "body" && functions.test(parent.type)) return parent;
  const branch =
    (parent.type === "IfStatement" && part !== "test") ||
    (parent.type === "ConditionalExpression" && part !== "test") ||
    (parent.type === "LogicalExpression" && part === "right") ||
    (/^(?:For|While|Try|CatchClause)/.test(parent.type) && node.type === "BlockStatement");
  return branch ? node : undefined;
}

function listInsertions(node: Located, call: string): Insertion[] {
  if (node.type === "BlockStatement") return [{ at: node.start + 1, text: `${call};` }];
  const [open, close] = node.type.endsWith("Statement") ? [`{${call};`, "}"] : [`(${call}, `, ")"];
  return [
    { at: node.start, text: open! },
    { at: node.end, text: close! },
  ];
}
