import type { ParserRuleContext, ParseTree } from "antlr4ng";
import type { Access, NamedQuery, Part, Statement, StatementKind } from "./part.ts";
import { getLabel, readName, listNodes, readPath, type Reader, type Tree, walkBy } from "./tree.ts";
import { appendLate, markLate } from "./late.ts";

// From the tree of a Trino text to what tables and columns follow from.

const kinds: Readonly<Record<string, StatementKind>> = {
  StatementDefault: "select",
  InsertInto: "insert",
  Delete: "delete",
  Update: "update",
  Merge: "merge",
  TruncateTable: "truncate",
  DropTable: "drop",
  DropView: "drop",
  DropMaterializedView: "drop",
  DropSchema: "drop",
  DropColumn: "alter_drop",
  CreateTable: "create_table",
  CreateTableAsSelect: "create_table_as",
  CreateView: "create_view",
  CreateMaterializedView: "create_view",
  Analyze: "analyze",
  ...Object.fromEntries(
    (
      "RenameTable RenameView RenameMaterializedView RefreshMaterializedView AddColumn RenameColumn " +
      "SetColumnType DropNotNullConstraint SetTableProperties SetTableAuthorization TableExecute " +
      "SetMaterializedViewProperties SetViewAuthorization CommentTable CommentView CommentColumn"
    )
      .split(" ")
      .map((label) => [label, "alter"] as const),
  ),
};

export function readTrinoStatements(program: ParseTree, tree: Tree): Statement[] {
  return tree
    .listChildren(program, "statements")
    .flatMap((each) => tree.listChildren(each, "singleStatement"))
    .flatMap((each) => tree.listChildren(each, "statement"))
    .map((each) => readStatement(each, tree));
}

function readStatement(node: ParserRuleContext, tree: Tree): Statement {
  const label = getLabel(node);
  // Both run or describe the statement that they hold; explain alone touches no data.
  const inner = tree.findChild(node, "statement");
  if ((label === "ExplainAnalyze" || label === "Prepare") && inner !== undefined)
    return readStatement(inner, tree);
  const kind = classifyStatement(label, node, tree);
  const uses =
    label === "Use" ? listIdentifiers(tree.findChild(node, "schemaRef")!, tree).at(-1)! : undefined;
  if (kind === "other") return { kind, parts: [], uses: uses && readName(uses) };
  return { kind, uses: undefined, parts: readStatementParts(node, kind, tree) };
}

// A table that replaces another one overwrites its content.
function classifyStatement(label: string, node: ParseTree, tree: Tree): StatementKind {
  const isTable = label === "CreateTable" || label === "CreateTableAsSelect";
  return isTable && tree.hasWord(node, "REPLACE") ? "replace_table" : (kinds[label] ?? "other");
}

function readStatementParts(node: ParserRuleContext, kind: StatementKind, tree: Tree): Part[] {
  const access: Access = kind === "analyze" ? "read" : "written";
  const hasColumns = ["delete", "update", "merge", "insert"].includes(kind);
  const parts = listNodes(node).flatMap((child): Part[] => {
    const rule = tree.getRule(child);
    const isName = ["tableRef", "tableNameCreate", "viewRef", "viewNameCreate"].includes(rule);
    if (isName && hasColumns) return [readRelation(child, access, readAlias(node, tree), tree)];
    if (isName) return [readTarget(child, access, tree)];
    if (rule === "schemaRef") return [{ ...readTarget(child, access, tree), isDatabase: true }];
    if (rule === "columnList") return readWrittenColumns(child, "columnRef", tree);
    return readParts(child, tree);
  });
  return hasColumns ? [{ is: "block", parts }] : parts;
}

// `merge into x as y`: the name is beside the table.
function readAlias(node: ParseTree, tree: Tree): string | undefined {
  const alias = tree.findChild(node, "identifier");
  return alias && readName(alias);
}

const readTarget = (
  node: ParseTree,
  access: Access,
  tree: Tree,
): Extract<Part, { is: "target" }> => ({
  is: "target",
  path: readPath(listIdentifiers(node, tree)),
  access,
  isDatabase: false,
});

// What tables and columns follow from inside of a Trino statement.

/** A table where a query could read it. */
function readRelation(
  node: ParseTree,
  access: Access,
  alias: string | undefined,
  tree: Tree,
): Part {
  const path = readPath(listIdentifiers(node, tree));
  return { is: "relation", path, alias, access, isRenamed: false };
}

/** What a node of the tree comes to, and its children together. */
export const { readParts, childParts } = walkBy((rule) => readers[rule]);

const readers: Readonly<Record<string, Reader>> = {
  functionSpecification: () => [],
  likeClause: () => [],
  query: (node, tree) => [
    {
      is: "query",
      named: readNamedQueries(node, tree),
      parts: readParts(listNodes(node).at(-1)!, tree),
    },
  ],
  queryNoWith: (node, tree) => {
    const [term, ...rest] = listNodes(node);
    return appendLate(
      readParts(term!, tree),
      rest.flatMap((child) => readParts(child, tree)),
    );
  },
  querySpecification: (node, tree) => [{ is: "block", parts: childParts(node, tree) }],
  groupBy: (node, tree) => markLate(childParts(node, tree)),
  queryPrimary: (node, tree) =>
    getLabel(node) === "Table"
      ? [{ is: "block", parts: [...readTableRelation(node, tree), { is: "star", path: [] }] }]
      : undefined,
  aliasedRelation: readAliasedRelation,
  tableArgumentRelation: (node, tree) =>
    getLabel(node) === "TableArgumentTable" ? readTableRelation(node, tree) : undefined,
  selectItem: (node, tree) => {
    const alias = tree.findChild(node, "identifier");
    const parts = childParts(node, tree);
    return alias === undefined ? parts : [...parts, { is: "alias", name: readName(alias) }];
  },
  selectAllWithoutTable: () => [{ is: "star", path: [] }],
  tableAllColumns: (node) => [
    {
      is: "star",
      path: readPath(listNodes(node))
        .slice(0, 1)
        .flatMap((path) => path.split(".")),
    },
  ],
  columnRef: readColumn,
  columnName: readColumn,
  primaryExpression: (node, tree) =>
    getLabel(node) === "Lambda"
      ? [
          {
            is: "locals",
            names: tree.listChildren(node, "identifier").map(readName),
            parts: tree.listChildren(node, "expression").flatMap((each) => readParts(each, tree)),
          },
        ]
      : undefined,
  updateAssignment: (node, tree) => [
    ...readWrittenColumns(node, "identifier", tree),
    ...tree.listChildren(node, "expression").flatMap((each) => readParts(each, tree)),
  ],
  mergeCase: (node, tree) => [
    ...readWrittenColumns(node, "identifier", tree),
    ...tree.listChildren(node, "expression").flatMap((each) => readParts(each, tree)),
  ],
};

function readNamedQueries(query: ParseTree, tree: Tree): NamedQuery[] {
  const list = tree.findChild(query, "with");
  if (list === undefined) return [];
  const isRecursive = tree.hasWord(list, "RECURSIVE");
  return tree.listChildren(list, "namedQuery").map((each) => ({
    name: readName(listNodes(each)[0]!),
    isRecursive,
    parts: tree.listChildren(each, "query").flatMap((body) => readParts(body, tree)),
  }));
}

// A table, a subquery or a list, with the name that the rest of the query calls it by.
function readAliasedRelation(node: ParseTree, tree: Tree): Part[] {
  const primary = tree.findChild(node, "relationPrimary")!;
  const [identifier, list] = [
    tree.findChild(node, "identifier"),
    tree.findChild(node, "columnAliases"),
  ];
  const alias = identifier && readName(identifier);
  const columns = list === undefined ? [] : tree.listChildren(list, "identifier").map(readName);
  if (getLabel(primary) === "ParenthesizedRelation") return childParts(primary, tree);
  if (getLabel(primary) === "TableName")
    return readTableRelation(tree.findChild(primary, "tableOrViewName")!, tree).map((part) => ({
      ...(part as Extract<Part, { is: "relation" }>),
      alias,
      isRenamed: columns.length > 0,
    }));
  const source = tree.findChild(primary, "relationSourceTable")!;
  const inner = childParts(source, tree);
  const isQuery = ["SubqueryRelation", "Lateral"].includes(getLabel(source));
  // The parts of a list are columns of the block that contains it.
  if (!isQuery) return [...inner, { is: "derived", alias, columns, parts: [] }];
  return [{ is: "derived", alias, columns, parts: inner }];
}

function readTableRelation(node: ParseTree, tree: Tree): Part[] {
  return tree
    .listChildren(node, "tableRef", "viewRef")
    .map((name) => readRelation(name, "read", undefined, tree));
}

function readColumn(node: ParseTree, tree: Tree): Part[] {
  const names = tree
    .listChildren(node, "qualifiedName")
    .flatMap((each) => listIdentifiers(each, tree));
  if (names.length === 0) return [];
  return [{ is: "column", path: readPath(names), access: "read", isLate: false }];
}

/** Columns of what the statement writes. */
function readWrittenColumns(node: ParseTree, rule: string, tree: Tree): Part[] {
  return tree.listChildren(node, rule).map((each) => ({
    is: "column",
    path: [readName(each)],
    access: "written",
    isLate: false,
  }));
}

function listIdentifiers(node: ParseTree, tree: Tree): ParseTree[] {
  return tree.listChildren(node, "identifier");
}
