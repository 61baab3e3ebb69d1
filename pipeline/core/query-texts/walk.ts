import type { ParseTree } from "antlr4ng";
import type { Part } from "./part.ts";
import { nodesOf, type Tree } from "./tree.ts";

/** What a node of one rule comes to; undefined where only its children count. */
export type Reader = (node: ParseTree, tree: Tree) => Part[] | undefined;

/** What the nodes of a tree come to. */
export type Walk = {
  readonly partsOf: (node: ParseTree, tree: Tree) => Part[];
  readonly childParts: (node: ParseTree, tree: Tree) => Part[];
};

/** Walks the trees of a grammar: a rule with a reader is read by it, any other counts as its children. */
export function walkBy(readerOf: (rule: string) => Reader | undefined): Walk {
  const partsOf: Walk["partsOf"] = (node, tree) =>
    readerOf(tree.ruleOf(node))?.(node, tree) ?? childParts(node, tree);
  const childParts: Walk["childParts"] = (node, tree) =>
    nodesOf(node).flatMap((child) => partsOf(child, tree));
  return { partsOf, childParts };
}
