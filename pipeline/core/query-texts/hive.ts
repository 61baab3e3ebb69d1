import type { ParserRuleContext, ParseTree } from "antlr4ng";
import type { Access, NamedQuery, Part, Statement, StatementKind } from "./part.ts";
import { nameOf, nodesOf, pathOf, type Reader, type Tree, walkBy, wordOf } from "./tree.ts";
import { blockWith, lateOf } from "./late.ts";

// Turns the parsed tree of a Hive text into the parts from which its tables and columns are read.

const statements: Readonly<Record<string, StatementKind>> = {
  loadStatement: "load",
  importStatement: "load",
  exportStatement: "select",
  truncateTableStatement: "truncate",
  dropTableStatement: "drop",
  dropViewStatement: "drop",
  dropMaterializedViewStatement: "drop",
  dropDatabaseStatement: "drop",
  createTableStatement: "create_table",
  createViewStatement: "create_view",
  createMaterializedViewStatement: "create_view",
  alterStatement: "alter",
  metastoreCheck: "alter",
  analyzeStatement: "analyze",
};

/** The statements of a text's tree, in their order. */
export function hiveStatements(program: ParseTree, tree: Tree): Statement[] {
  return tree.childrenOf(program, "statement").map((each) => statementOf(each, tree));
}

function statementOf(statement: ParserRuleContext, tree: Tree): Statement {
  const explain = tree.childOf(statement, "explainStatement");
  // EXPLAIN touches no data, except EXPLAIN ANALYZE, which runs the statement.
  const isRun = explain?.getText().toLowerCase().startsWith("explainanalyze");
  const exec = tree.childOf(isRun === true ? explain! : statement, "execStatement");
  if (exec === undefined) return { kind: "other", parts: [], uses: undefined };
  const ddl = tree.childOf(exec, "ddlStatement");
  const body = nodesOf(ddl ?? exec)[0]!;
  if (tree.ruleOf(body) === "switchDatabaseStatement")
    return { kind: "other", parts: [], uses: nameOf(tree.childOf(body, "dbSchemaName")!) };
  if (tree.ruleOf(body) === "queryStatementExpression")
    return { kind: queryKind(body, tree), parts: partsOf(body, tree), uses: undefined };
  const kind = statements[tree.ruleOf(body)];
  if (kind !== undefined)
    return { kind: narrowed(kind, body, tree), parts: ddlParts(body, kind, tree), uses: undefined };
  const change = changeKind(wordOf(body));
  if (change === undefined) return { kind: "other", parts: [], uses: undefined };
  return {
    kind: change,
    parts: [{ is: "block", parts: changeParts(exec, tree) }],
    uses: undefined,
  };
}

function changeKind(word: string): StatementKind | undefined {
  return ({ DELETE: "delete", UPDATE: "update", MERGE: "merge" } as const)[word];
}

function queryKind(node: ParseTree, tree: Tree): StatementKind {
  const insert = found(node, "insertClause", tree);
  if (insert === undefined) return "select";
  // A directory is no table, so only what the statement reads counts.
  if (!tree.hasWord(insert, "OVERWRITE")) return "insert";
  return found(insert, "tableOrPartition", tree) === undefined ? "select" : "insert_overwrite";
}

function narrowed(kind: StatementKind, body: ParseTree, tree: Tree): StatementKind {
  if (kind === "create_table" && found(body, "selectStatementWithCTE", tree) !== undefined)
    return "create_table_as";
  if (kind === "load" && tree.hasWord(body, "OVERWRITE")) return "load_overwrite";
  const drops = found(body, "alterStatementSuffixDropPartitions", tree);
  return kind === "alter" && drops !== undefined ? "alter_drop" : kind;
}

// The first node of a rule, from the top down, subqueries left out.
function found(node: ParseTree, rule: string, tree: Tree): ParseTree | undefined {
  if (tree.ruleOf(node) === rule) return node;
  if (["subQuerySource", "withClause"].includes(tree.ruleOf(node))) return undefined;
  for (const child of nodesOf(node)) {
    const hit = found(child, rule, tree);
    if (hit !== undefined) return hit;
  }
  return undefined;
}

function ddlParts(body: ParseTree, kind: StatementKind, tree: Tree): Part[] {
  const isRead = kind === "analyze" || kind === "select";
  return namesIn(body, isRead ? "read" : "written", tree);
}

function changeParts(exec: ParserRuleContext, tree: Tree): Part[] {
  const alias = tree.childOf(exec, "id_");
  return nodesOf(exec).flatMap((child): Part[] =>
    tree.ruleOf(child) === "tableName"
      ? [relation(child, "written", alias && nameOf(alias), tree)]
      : partsOf(child, tree),
  );
}

// What tables and columns follow from inside of a Hive statement.

const names = ["tableName", "tableNameCreate", "viewName", "viewNameCreate"];

/** Names outside of queries; what a foreign key or `like` names is not touched. */
function namesIn(node: ParseTree, access: Access, tree: Tree): Part[] {
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
const relation = (
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
  // The written columns are those of the table behind `into`, in any query.
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
