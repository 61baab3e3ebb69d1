import { type ParserRuleContext, type ParseTree, TerminalNode } from "antlr4ng";
import type { Part, Path } from "./part.ts";

export type Tree = {
  /** The rule of a node, or its alternative's name where the grammar gives one; empty for a single word. */
  readonly getRule: (node: ParseTree) => string;
  /** The first child with this rule. */
  readonly findChild: (node: ParseTree, rule: string) => ParserRuleContext | undefined;
  readonly listChildren: (node: ParseTree, ...rules: readonly string[]) => ParserRuleContext[];
  /** Whether a child is this word; in capitals. */
  readonly hasWord: (node: ParseTree, word: string) => boolean;
};

/** Looks at the trees that a parser makes, by its rule names. */
export function newTree(ruleNames: readonly string[]): Tree {
  const getRule = (node: ParseTree): string =>
    node instanceof TerminalNode ? "" : (ruleNames[(node as ParserRuleContext).ruleIndex] ?? "");
  const listChildren: Tree["listChildren"] = (node, ...rules) =>
    listNodes(node).filter((child) => rules.includes(getRule(child))) as ParserRuleContext[];
  return {
    getRule: getRule,
    listChildren: listChildren,
    findChild: (node, rule) => listChildren(node, rule)[0],
    hasWord: (node, word) =>
      listNodes(node).some((child) => child instanceof TerminalNode && readWord(child) === word),
  };
}

/** The children of a node; none of a word. */
export function listNodes(node: ParseTree): readonly ParseTree[] {
  return node instanceof TerminalNode ? [] : ((node as ParserRuleContext).children ?? []);
}

/** The name of a labelled alternative, such as `InsertInto`. */
export function getLabel(node: ParseTree): string {
  return node.constructor.name.replace(/Context$/, "");
}

/** A word as the text has it, in capitals. */
export function readWord(node: ParseTree): string {
  return node.getText().toUpperCase();
}

/** Reads the name of an identifier: without its quotes, in lower case, as both engines compare names. */
export function readName(identifier: ParseTree): string {
  const text = identifier.getText();
  const quote = text[0];
  const isQuoted = (quote === '"' || quote === "`") && text.length > 1 && text.endsWith(quote);
  const bare = isQuoted ? text.slice(1, -1).replaceAll(quote + quote, quote) : text;
  return bare.toLowerCase();
}

export function readPath(identifiers: readonly ParseTree[]): Path {
  return identifiers.map(readName);
}

/** What a node of one rule comes to; undefined where only its children count. */
export type Reader = (node: ParseTree, tree: Tree) => Part[] | undefined;

type Walk = {
  readonly readParts: (node: ParseTree, tree: Tree) => Part[];
  readonly childParts: (node: ParseTree, tree: Tree) => Part[];
};

/** Walks the trees of a grammar: a rule with a reader is read by it, any other counts as its children. */
export function walkBy(readerOf: (rule: string) => Reader | undefined): Walk {
  const readParts: Walk["readParts"] = (node, tree) =>
    readerOf(tree.getRule(node))?.(node, tree) ?? readChildParts(node, tree);
  const readChildParts: Walk["childParts"] = (node, tree) =>
    listNodes(node).flatMap((child) => readParts(child, tree));
  return { readParts: readParts, childParts: readChildParts };
}
