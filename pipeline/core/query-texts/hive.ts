import type { ParserRuleContext, ParseTree } from "antlr4ng";
import type { Access, NamedQuery, Part, Statement, StatementKind } from "./part.ts";
import { readName, listNodes, readPath, type Reader, type Tree, walkBy, readWord } from "./tree.ts";
import { appendLate, markLate } from "./late.ts";

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

export function readHiveStatements(program: ParseTree, tree: Tree): Statement[] {
  return tree.listChildren(program, "statement").map((each) => readStatement(each, tree));
}

function readStatement(statement: ParserRuleContext, tree: Tree): Statement {
  const explain = tree.findChild(statement, "explainStatement");
  // EXPLAIN touches no data, except EXPLAIN ANALYZE, which runs the statement.
  const isRun = explain?.getText().toLowerCase().startsWith("explainanalyze");
  const exec = tree.findChild(isRun === true ? explain! : statement, "execStatement");
  if (exec === undefined) return { kind: "other", parts: [], uses: undefined };
  const ddl = tree.findChild(exec, "ddlStatement");
  const body = listNodes(ddl ?? exec)[0]!;
  if (tree.getRule(body) === "switchDatabaseStatement")
    return { kind: "other", parts: [], uses: readName(tree.findChild(body, "dbSchemaName")!) };
  if (tree.getRule(body) === "queryStatementExpression")
    return { kind: classifyQuery(body, tree), parts: readParts(body, tree), uses: undefined };
  const kind = statements[tree.getRule(body)];
  if (kind !== undefined)
    return {
      kind: narrowKind(kind, body, tree),
      parts: readDdlParts(body, kind, tree),
      uses: undefined,
    };
  const change = ({ DELETE: "delete", UPDATE: "update", MERGE: "merge" } as const)[readWord(body)];
  if (change === undefined) return { kind: "other", parts: [], uses: undefined };
  return {
    kind: change,
    parts: [{ is: "block", parts: changeParts(exec, tree) }],
    uses: undefined,
  };
}

function classifyQuery(node: ParseTree, tree: Tree): StatementKind {
  const insert = findNode(node, "insertClause", tree);
  if (insert === undefined) return "select";
  // A directory is no table, so only what the statement reads counts.
  if (!tree.hasWord(insert, "OVERWRITE")) return "insert";
  return findNode(insert, "tableOrPartition", tree) === undefined ? "select" : "insert_overwrite";
}

function narrowKind(kind: StatementKind, body: ParseTree, tree: Tree): StatementKind {
  if (kind === "create_table" && findNode(body, "selectStatementWithCTE", tree) !== undefined)
    return "create_table_as";
  if (kind === "load" && tree.hasWord(body, "OVERWRITE")) return "load_overwrite";
  const drops = findNode(body, "alterStatementSuffixDropPartitions", tree);
  return kind === "alter" && drops !== undefined ? "alter_drop" : kind;
}

// The first node of a rule, from the top down, subqueries left out.
function findNode(node: ParseTree, rule: string, tree: Tree): ParseTree | undefined {
  if (tree.getRule(node) === rule) return node;
  if (["subQuerySource", "withClause"].includes(tree.getRule(node))) return undefined;
  for (const child of listNodes(node)) {
    const hit = findNode(child, rule, tree);
    if (hit !== undefined) return hit;
  }
  return undefined;
}

function readDdlParts(body: ParseTree, kind: StatementKind, tree: Tree): Part[] {
  const isRead = kind === "analyze" || kind === "select";
  return readNames(body, isRead ? "read" : "written", tree);
}

function changeParts(exec: ParserRuleContext, tree: Tree): Part[] {
  const alias = tree.findChild(exec, "id_");
  return listNodes(exec).flatMap((child): Part[] =>
    tree.getRule(child) === "tableName"
      ? [readRelation(child, "written", alias && readName(alias), tree)]
      : readParts(child, tree),
  );
}

// What tables and columns follow from inside of a Hive statement.

const names = ["tableName", "tableNameCreate", "viewName", "viewNameCreate"];

/** Names outside of queries; what a foreign key or `like` names is not touched. */
function readNames(node: ParseTree, access: Access, tree: Tree): Part[] {
  const rule = tree.getRule(node);
  if (rule === "dbSchemaName") return [{ ...readTarget(node, access, tree), isDatabase: true }];
  if (names.includes(rule)) return [readTarget(node, access, tree)];
  if (rule === "selectStatementWithCTE") return readParts(node, tree);
  if (/^(likeTableOrFile|.*[cC]onstraint.*|.*ForeignKey.*)$/.test(rule)) return [];
  return listNodes(node).flatMap((child) => readNames(child, access, tree));
}

// A third name is that of a table of the table's own, such as its snapshots.
const readTablePath = (node: ParseTree, tree: Tree): string[] =>
  readPath(tree.listChildren(node, "id_")).slice(0, 2);

const readTarget = (
  node: ParseTree,
  access: Access,
  tree: Tree,
): Extract<Part, { is: "target" }> => ({
  is: "target",
  path: readTablePath(node, tree),
  access,
  isDatabase: false,
});

/** A table where a query could read it. */
const readRelation = (
  node: ParseTree,
  access: Access,
  alias: string | undefined,
  tree: Tree,
): Part => ({ is: "relation", path: readTablePath(node, tree), alias, access, isRenamed: false });

/** What a node of the tree comes to, and its children together. */
export const { readParts, childParts } = walkBy((rule) => readers[rule]);

const readQuery: Reader = (node, tree) => [
  {
    is: "query",
    named: readNamedQueries(node, tree),
    parts: readParts(listNodes(node).at(-1)!, tree),
  },
];

const readLate: Reader = (node, tree) => markLate(childParts(node, tree));

const readers: Readonly<Record<string, Reader>> = {
  queryStatementExpression: readQuery,
  selectStatementWithCTE: readQuery,
  singleFromStatement: (node, tree) => [{ is: "block", parts: childParts(node, tree) }],
  selectStatement: (node, tree) => {
    const isBody = (child: ParseTree): boolean =>
      ["atomSelectStatement", "setOpSelectStatement"].includes(tree.getRule(child));
    const [body, after] = [
      listNodes(node).filter(isBody),
      listNodes(node).filter((n) => !isBody(n)),
    ];
    const readAllParts = (nodes: readonly ParseTree[]): Part[] =>
      nodes.flatMap((n) => readParts(n, tree));
    return appendLate(readAllParts(body), readAllParts(after));
  },
  atomSelectStatement: (node, tree) =>
    tree.findChild(node, "selectClause") && [{ is: "block", parts: childParts(node, tree) }],
  groupByClause: readLate,
  orderByClause: readLate,
  havingClause: readLate,
  // The written columns are those of the table behind `into`, in any query.
  insertClause: (node, tree) => [
    ...readNames(node, "written", tree),
    {
      is: "block",
      parts: [
        ...tree
          .listChildren(node, "tableOrPartition")
          .flatMap((each) => tree.listChildren(each, "tableName"))
          .map((name) => readRelation(name, "written", undefined, tree)),
        ...tree
          .listChildren(node, "columnNameList")
          .flatMap((list) => markWritten(childParts(list, tree))),
      ],
    },
  ],
  columnAssignmentClause: (node, tree) => {
    const [name, ...rest] = listNodes(node);
    return [
      ...markWritten(readParts(name!, tree)),
      ...rest.flatMap((child) => readParts(child, tree)),
    ];
  },
  tableSource: readTable,
  uniqueJoinSource: (node, tree) => [
    ...readTable(node, tree),
    ...tree.listChildren(node, "expressionList").flatMap((list) => childParts(list, tree)),
  ],
  subQuerySource: (node, tree) => {
    const alias = tree.findChild(node, "id_");
    return [
      {
        is: "derived",
        alias: alias && readName(alias),
        columns: [],
        parts: childParts(node, tree),
      },
    ];
  },
  virtualTableSource: readDerivedList,
  lateralView: readDerivedList,
  selectItem: (node, tree) => [
    ...childParts(node, tree),
    ...tree.listChildren(node, "id_").map((id): Part => ({ is: "alias", name: readName(id) })),
  ],
  tableAllColumns: (node, tree) => [{ is: "star", path: readPath(tree.listChildren(node, "id_")) }],
  columnName: readColumn,
  columnNamePath: readColumn,
  columnNamePathAllowEmpty: readColumn,
  precedenceUnaryPrefixExpression: readPrefixed,
};

function readNamedQueries(node: ParseTree, tree: Tree): NamedQuery[] {
  const list = tree.findChild(node, "withClause");
  return (list === undefined ? [] : tree.listChildren(list, "cteStatement")).map((each) => ({
    name: readName(listNodes(each)[0]!),
    isRecursive: false,
    parts: tree
      .listChildren(each, "queryStatementExpression")
      .flatMap((body) => readParts(body, tree)),
  }));
}

function readTable(node: ParseTree, tree: Tree): Part[] {
  const alias = tree.findChild(node, "id_");
  return tree
    .listChildren(node, "tableOrView")
    .flatMap((each) => tree.listChildren(each, "tableName", "viewName"))
    .map((name) => readRelation(name, "read", alias && readName(alias), tree));
}

function readDerivedList(node: ParseTree, tree: Tree): Part[] {
  const alias = tree.findChild(node, "tableAlias");
  const columns = tree.listChildren(node, "id_").map(readName);
  return [
    ...childParts(node, tree),
    { is: "derived", alias: alias && readName(alias), columns, parts: [] },
  ];
}

function readColumn(node: ParseTree, tree: Tree): Part[] {
  const path = tree
    .listChildren(node, "poolPathAllowEmpty", "poolPath")
    .flatMap((each) => readPath(tree.listChildren(each, "id_")));
  return path.length === 0 ? [] : [{ is: "column", path, access: "read", isLate: false }];
}

// `a`, `a.b`, `a.b.c`: a column, or a field of one.
function readPrefixed(node: ParseTree, tree: Tree): Part[] | undefined {
  const atom = tree.findChild(node, "atomExpression");
  const first = atom && tree.findChild(atom, "id_");
  if (first === undefined) return undefined;
  const path = readPath([first, ...tree.listChildren(node, "id_")]);
  const index = tree.listChildren(node, "expression").flatMap((each) => readParts(each, tree));
  return [{ is: "column", path, access: "read", isLate: false }, ...index];
}

function markWritten(parts: readonly Part[]): Part[] {
  return parts.map((part) => (part.is === "column" ? { ...part, access: "written" } : part));
}
