import type { ParserRuleContext, ParseTree } from "antlr4ng";
import type { Access, Part, Statement, StatementKind } from "./part.ts";
import { labelOf, nameOf, nodesOf, pathOf, type Tree } from "./tree.ts";
import { identifiersOf, partsOf, relation, writtenColumns } from "./trino-query.ts";

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

// A table that is made in place of another one takes what that held.
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

// `merge into x as y`: the name stands beside the table.
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
