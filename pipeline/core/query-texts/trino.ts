import type { ParserRuleContext, ParseTree } from "antlr4ng";
import type { Access, NamedQuery, Part, Statement, StatementKind } from "./part.ts";
import { labelOf, nameOf, nodesOf, pathOf, type Reader, type Tree, walkBy } from "./tree.ts";
import { blockWith, lateOf } from "./late.ts";

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

/** The statements of a text's tree, in their order. */
export function trinoStatements(program: ParseTree, tree: Tree): Statement[] {
  return tree
    .childrenOf(program, "statements")
    .flatMap((each) => tree.childrenOf(each, "singleStatement"))
    .flatMap((each) => tree.childrenOf(each, "statement"))
    .map((each) => statementOf(each, tree));
}

function statementOf(node: ParserRuleContext, tree: Tree): Statement {
  const label = labelOf(node);
  // Both run or describe the statement that they hold; explain alone touches no data.
  const inner = tree.childOf(node, "statement");
  if ((label === "ExplainAnalyze" || label === "Prepare") && inner !== undefined)
    return statementOf(inner, tree);
  const kind = kindOf(label, node, tree);
  const uses =
    label === "Use" ? identifiersOf(tree.childOf(node, "schemaRef")!, tree).at(-1)! : undefined;
  if (kind === "other") return { kind, parts: [], uses: uses && nameOf(uses) };
  return { kind, uses: undefined, parts: partsOfStatement(node, kind, tree) };
}

// A table that replaces another one overwrites its content.
function kindOf(label: string, node: ParseTree, tree: Tree): StatementKind {
  const isTable = label === "CreateTable" || label === "CreateTableAsSelect";
  return isTable && tree.hasWord(node, "REPLACE") ? "replace_table" : (kinds[label] ?? "other");
}

function partsOfStatement(node: ParserRuleContext, kind: StatementKind, tree: Tree): Part[] {
  const access: Access = kind === "analyze" ? "read" : "written";
  const hasColumns = ["delete", "update", "merge", "insert"].includes(kind);
  const parts = nodesOf(node).flatMap((child): Part[] => {
    const rule = tree.ruleOf(child);
    const isName = ["tableRef", "tableNameCreate", "viewRef", "viewNameCreate"].includes(rule);
    if (isName && hasColumns) return [relation(child, access, aliasOf(node, tree), tree)];
    if (isName) return [target(child, access, tree)];
    if (rule === "schemaRef") return [{ ...target(child, access, tree), isDatabase: true }];
    if (rule === "columnList") return writtenColumns(child, "columnRef", tree);
    return partsOf(child, tree);
  });
  return hasColumns ? [{ is: "block", parts }] : parts;
}

// `merge into x as y`: the name is beside the table.
function aliasOf(node: ParseTree, tree: Tree): string | undefined {
  const alias = tree.childOf(node, "identifier");
  return alias && nameOf(alias);
}

const target = (node: ParseTree, access: Access, tree: Tree): Extract<Part, { is: "target" }> => ({
  is: "target",
  path: pathOf(identifiersOf(node, tree)),
  access,
  isDatabase: false,
});

// What tables and columns follow from inside of a Trino statement.

/** A table where a query could read it. */
function relation(node: ParseTree, access: Access, alias: string | undefined, tree: Tree): Part {
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
  // The parts of a list are columns of the block that contains it.
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
function writtenColumns(node: ParseTree, rule: string, tree: Tree): Part[] {
  return tree.childrenOf(node, rule).map((each) => ({
    is: "column",
    path: [nameOf(each)],
    access: "written",
    isLate: false,
  }));
}

/** The parts of a name. */
function identifiersOf(node: ParseTree, tree: Tree): ParseTree[] {
  return tree.childrenOf(node, "identifier");
}
