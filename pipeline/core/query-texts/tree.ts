import { type ParserRuleContext, type ParseTree, TerminalNode } from "antlr4ng";
import type { Part, Path } from "./part.ts";

/** Looks at the nodes of one grammar. */
export type Tree = {
  /** The rule of a node, or its alternative's name where the grammar gives one; empty for a single word. */
  readonly ruleOf: (node: ParseTree) => string;
  /** The first child with this rule. */
  readonly childOf: (node: ParseTree, rule: string) => ParserRuleContext | undefined;
  /** All children with one of these rules. */
  readonly childrenOf: (node: ParseTree, ...rules: readonly string[]) => ParserRuleContext[];
  /** Whether a child is this word; in capitals. */
  readonly hasWord: (node: ParseTree, word: string) => boolean;
};

/** Looks at the trees that a parser makes, by its rule names. */
export function treeOf(ruleNames: readonly string[]): Tree {
  const ruleOf = (node: ParseTree): string =>
    node instanceof TerminalNode ? "" : (ruleNames[(node as ParserRuleContext).ruleIndex] ?? "");
  const childrenOf: Tree["childrenOf"] = (node, ...rules) =>
    nodesOf(node).filter((child) => rules.includes(ruleOf(child))) as ParserRuleContext[];
  return {
    ruleOf,
    childrenOf,
    childOf: (node, rule) => childrenOf(node, rule)[0],
    hasWord: (node, word) =>
      nodesOf(node).some((child) => child instanceof TerminalNode && wordOf(child) === word),
  };
}

/** The children of a node; none of a word. */
export function nodesOf(node: ParseTree): readonly ParseTree[] {
  return node instanceof TerminalNode ? [] : ((node as ParserRuleContext).children ?? []);
}

/** The name of a labelled alternative, such as `InsertInto`. */
export function labelOf(node: ParseTree): string {
  return node.constructor.name.replace(/Context$/, "");
}

/** A word as the text has it, in capitals. */
export function wordOf(node: ParseTree): string {
  return node.getText().toUpperCase();
}

/** Reads the name of an identifier: without its quotes, in lower case, as both engines compare names. */
export function nameOf(identifier: ParseTree): string {
  const text = identifier.getText();
  const quote = text[0];
  const isQuoted = (quote === '"' || quote === "`") && text.length > 1 && text.endsWith(quote);
  const bare = isQuoted ? text.slice(1, -1).replaceAll(quote + quote, quote) : text;
  return bare.toLowerCase();
}

/** The names of several identifiers. */
export function pathOf(identifiers: readonly ParseTree[]): Path {
  return identifiers.map(nameOf);
}

/** What a node of one rule comes to; undefined where only its children count. */
export type Reader = (node: ParseTree, tree: Tree) => Part[] | undefined;

/** What the nodes of a tree come to. */
type Walk = {
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
