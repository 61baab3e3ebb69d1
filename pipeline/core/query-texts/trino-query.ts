import type { ParseTree } from "antlr4ng";
import { blockWith, lateOf } from "./late.ts";
import type { Access, NamedQuery, Part } from "./part.ts";
import { labelOf, nameOf, nodesOf, pathOf, type Tree } from "./tree.ts";
import { walkBy, type Reader } from "./walk.ts";

// What tables and columns follow from inside of a Trino statement.

/** A table where a query could read it. */
export function relation(
  node: ParseTree,
  access: Access,
  alias: string | undefined,
  tree: Tree,
): Part {
  const path = pathOf(identifiersOf(node, tree));
  return { is: "relation", path, alias, access, isRenamed: false };
}

/** What a node of the tree comes to, and its children together. */
export const { partsOf, childParts } = walkBy((rule) => readers[rule]);

const readers: Readonly<Record<string, Reader>> = {
  functionSpecification: () => [],
  likeClause: () => [],
  query: (node, tree) => [
    { is: "query", named: namedQueries(node, tree), parts: partsOf(nodesOf(node).at(-1)!, tree) },
  ],
  queryNoWith: (node, tree) => {
    const [term, ...rest] = nodesOf(node);
    return blockWith(
      partsOf(term!, tree),
      rest.flatMap((child) => partsOf(child, tree)),
    );
  },
  querySpecification: (node, tree) => [{ is: "block", parts: childParts(node, tree) }],
  groupBy: (node, tree) => lateOf(childParts(node, tree)),
  queryPrimary: (node, tree) =>
    labelOf(node) === "Table"
      ? [{ is: "block", parts: [...relationOf(node, tree), { is: "star", path: [] }] }]
      : undefined,
  aliasedRelation,
  tableArgumentRelation: (node, tree) =>
    labelOf(node) === "TableArgumentTable" ? relationOf(node, tree) : undefined,
  selectItem: (node, tree) => {
    const alias = tree.childOf(node, "identifier");
    const parts = childParts(node, tree);
    return alias === undefined ? parts : [...parts, { is: "alias", name: nameOf(alias) }];
  },
  selectAllWithoutTable: () => [{ is: "star", path: [] }],
  tableAllColumns: (node) => [
    {
      is: "star",
      path: pathOf(nodesOf(node))
        .slice(0, 1)
        .flatMap((path) => path.split(".")),
    },
  ],
  columnRef: column,
  columnName: column,
  primaryExpression: (node, tree) =>
    labelOf(node) === "Lambda"
      ? [
          {
            is: "locals",
            names: tree.childrenOf(node, "identifier").map(nameOf),
            parts: tree.childrenOf(node, "expression").flatMap((each) => partsOf(each, tree)),
          },
        ]
      : undefined,
  updateAssignment: (node, tree) => [
    ...writtenColumns(node, "identifier", tree),
    ...tree.childrenOf(node, "expression").flatMap((each) => partsOf(each, tree)),
  ],
  mergeCase: (node, tree) => [
    ...writtenColumns(node, "identifier", tree),
    ...tree.childrenOf(node, "expression").flatMap((each) => partsOf(each, tree)),
  ],
};

function namedQueries(query: ParseTree, tree: Tree): NamedQuery[] {
  const list = tree.childOf(query, "with");
  if (list === undefined) return [];
  const isRecursive = tree.hasWord(list, "RECURSIVE");
  return tree.childrenOf(list, "namedQuery").map((each) => ({
    name: nameOf(nodesOf(each)[0]!),
    isRecursive,
    parts: tree.childrenOf(each, "query").flatMap((body) => partsOf(body, tree)),
  }));
}

// A table, a subquery or a list, with the name that the rest of the query calls it by.
function aliasedRelation(node: ParseTree, tree: Tree): Part[] {
  const primary = tree.childOf(node, "relationPrimary")!;
  const [identifier, list] = [
    tree.childOf(node, "identifier"),
    tree.childOf(node, "columnAliases"),
  ];
  const alias = identifier && nameOf(identifier);
  const columns = list === undefined ? [] : tree.childrenOf(list, "identifier").map(nameOf);
  if (labelOf(primary) === "ParenthesizedRelation") return childParts(primary, tree);
  if (labelOf(primary) === "TableName")
    return relationOf(tree.childOf(primary, "tableOrViewName")!, tree).map((part) => ({
      ...(part as Extract<Part, { is: "relation" }>),
      alias,
      isRenamed: columns.length > 0,
    }));
  const source = tree.childOf(primary, "relationSourceTable")!;
  const inner = childParts(source, tree);
  const isQuery = ["SubqueryRelation", "Lateral"].includes(labelOf(source));
  // What a list is made from are columns of the block that it stands in.
  if (!isQuery) return [...inner, { is: "derived", alias, columns, parts: [] }];
  return [{ is: "derived", alias, columns, parts: inner }];
}

function relationOf(node: ParseTree, tree: Tree): Part[] {
  return tree
    .childrenOf(node, "tableRef", "viewRef")
    .map((name) => relation(name, "read", undefined, tree));
}

function column(node: ParseTree, tree: Tree): Part[] {
  const names = tree.childrenOf(node, "qualifiedName").flatMap((each) => identifiersOf(each, tree));
  if (names.length === 0) return [];
  return [{ is: "column", path: pathOf(names), access: "read", isLate: false }];
}

/** Columns of what the statement writes. */
export function writtenColumns(node: ParseTree, rule: string, tree: Tree): Part[] {
  return tree.childrenOf(node, rule).map((each) => ({
    is: "column",
    path: [nameOf(each)],
    access: "written",
    isLate: false,
  }));
}

/** The parts of a name. */
export function identifiersOf(node: ParseTree, tree: Tree): ParseTree[] {
  return tree.childrenOf(node, "identifier");
}
