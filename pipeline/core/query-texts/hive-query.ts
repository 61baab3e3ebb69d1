import type { ParseTree } from "antlr4ng";
import { blockWith, lateOf } from "./late.ts";
import type { Access, NamedQuery, Part } from "./part.ts";
import { nameOf, nodesOf, pathOf, type Tree } from "./tree.ts";
import { walkBy, type Reader } from "./walk.ts";

// What tables and columns follow from inside of a Hive statement.

const names = ["tableName", "tableNameCreate", "viewName", "viewNameCreate"];

/** Names outside of queries; what a foreign key or `like` names is not touched. */
export function namesIn(node: ParseTree, access: Access, tree: Tree): Part[] {
  const rule = tree.ruleOf(node);
  if (rule === "dbSchemaName") return [{ ...target(node, access, tree), isDatabase: true }];
  if (names.includes(rule)) return [target(node, access, tree)];
  if (rule === "selectStatementWithCTE") return partsOf(node, tree);
  if (/^(likeTableOrFile|.*[cC]onstraint.*|.*ForeignKey.*)$/.test(rule)) return [];
  return nodesOf(node).flatMap((child) => namesIn(child, access, tree));
}

// A third name is that of a table of the table's own, such as its snapshots.
const tablePath = (node: ParseTree, tree: Tree): string[] =>
  pathOf(tree.childrenOf(node, "id_")).slice(0, 2);

const target = (node: ParseTree, access: Access, tree: Tree): Extract<Part, { is: "target" }> => ({
  is: "target",
  path: tablePath(node, tree),
  access,
  isDatabase: false,
});

/** A table where a query could read it. */
export const relation = (
  node: ParseTree,
  access: Access,
  alias: string | undefined,
  tree: Tree,
): Part => ({ is: "relation", path: tablePath(node, tree), alias, access, isRenamed: false });

/** What a node of the tree comes to, and its children together. */
export const { partsOf, childParts } = walkBy((rule) => readers[rule]);

const query: Reader = (node, tree) => [
  { is: "query", named: namedQueries(node, tree), parts: partsOf(nodesOf(node).at(-1)!, tree) },
];

const late: Reader = (node, tree) => lateOf(childParts(node, tree));

const readers: Readonly<Record<string, Reader>> = {
  queryStatementExpression: query,
  selectStatementWithCTE: query,
  singleFromStatement: (node, tree) => [{ is: "block", parts: childParts(node, tree) }],
  selectStatement: (node, tree) => {
    const isBody = (child: ParseTree): boolean =>
      ["atomSelectStatement", "setOpSelectStatement"].includes(tree.ruleOf(child));
    const [body, after] = [nodesOf(node).filter(isBody), nodesOf(node).filter((n) => !isBody(n))];
    const parts = (nodes: readonly ParseTree[]): Part[] => nodes.flatMap((n) => partsOf(n, tree));
    return blockWith(parts(body), parts(after));
  },
  atomSelectStatement: (node, tree) =>
    tree.childOf(node, "selectClause") && [{ is: "block", parts: childParts(node, tree) }],
  groupByClause: late,
  orderByClause: late,
  havingClause: late,
  // The columns that are written are those of the table behind `into`, in whatever query that stands.
  insertClause: (node, tree) => [
    ...namesIn(node, "written", tree),
    {
      is: "block",
      parts: [
        ...tree
          .childrenOf(node, "tableOrPartition")
          .flatMap((each) => tree.childrenOf(each, "tableName"))
          .map((name) => relation(name, "written", undefined, tree)),
        ...tree
          .childrenOf(node, "columnNameList")
          .flatMap((list) => written(childParts(list, tree))),
      ],
    },
  ],
  columnAssignmentClause: (node, tree) => {
    const [name, ...rest] = nodesOf(node);
    return [...written(partsOf(name!, tree)), ...rest.flatMap((child) => partsOf(child, tree))];
  },
  tableSource: tableOf,
  uniqueJoinSource: (node, tree) => [
    ...tableOf(node, tree),
    ...tree.childrenOf(node, "expressionList").flatMap((list) => childParts(list, tree)),
  ],
  subQuerySource: (node, tree) => {
    const alias = tree.childOf(node, "id_");
    return [
      { is: "derived", alias: alias && nameOf(alias), columns: [], parts: childParts(node, tree) },
    ];
  },
  virtualTableSource: derivedList,
  lateralView: derivedList,
  selectItem: (node, tree) => [
    ...childParts(node, tree),
    ...tree.childrenOf(node, "id_").map((id): Part => ({ is: "alias", name: nameOf(id) })),
  ],
  tableAllColumns: (node, tree) => [{ is: "star", path: pathOf(tree.childrenOf(node, "id_")) }],
  columnName: column,
  columnNamePath: column,
  columnNamePathAllowEmpty: column,
  precedenceUnaryPrefixExpression: prefixed,
};

function namedQueries(node: ParseTree, tree: Tree): NamedQuery[] {
  const list = tree.childOf(node, "withClause");
  return (list === undefined ? [] : tree.childrenOf(list, "cteStatement")).map((each) => ({
    name: nameOf(nodesOf(each)[0]!),
    isRecursive: false,
    parts: tree.childrenOf(each, "queryStatementExpression").flatMap((body) => partsOf(body, tree)),
  }));
}

function tableOf(node: ParseTree, tree: Tree): Part[] {
  const alias = tree.childOf(node, "id_");
  return tree
    .childrenOf(node, "tableOrView")
    .flatMap((each) => tree.childrenOf(each, "tableName", "viewName"))
    .map((name) => relation(name, "read", alias && nameOf(alias), tree));
}

function derivedList(node: ParseTree, tree: Tree): Part[] {
  const alias = tree.childOf(node, "tableAlias");
  const columns = tree.childrenOf(node, "id_").map(nameOf);
  return [
    ...childParts(node, tree),
    { is: "derived", alias: alias && nameOf(alias), columns, parts: [] },
  ];
}

function column(node: ParseTree, tree: Tree): Part[] {
  const path = tree
    .childrenOf(node, "poolPathAllowEmpty", "poolPath")
    .flatMap((each) => pathOf(tree.childrenOf(each, "id_")));
  return path.length === 0 ? [] : [{ is: "column", path, access: "read", isLate: false }];
}

// `a`, `a.b`, `a.b.c`: a column, or a field of one.
function prefixed(node: ParseTree, tree: Tree): Part[] | undefined {
  const atom = tree.childOf(node, "atomExpression");
  const first = atom && tree.childOf(atom, "id_");
  if (first === undefined) return undefined;
  const path = pathOf([first, ...tree.childrenOf(node, "id_")]);
  const index = tree.childrenOf(node, "expression").flatMap((each) => partsOf(each, tree));
  return [{ is: "column", path, access: "read", isLate: false }, ...index];
}

function written(parts: readonly Part[]): Part[] {
  return parts.map((part) => (part.is === "column" ? { ...part, access: "written" } : part));
}
