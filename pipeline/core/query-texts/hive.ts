import type { ParserRuleContext, ParseTree } from "antlr4ng";
import { namesIn, partsOf, relation } from "./hive-query.ts";
import type { Part, Statement, StatementKind } from "./part.ts";
import { nameOf, nodesOf, type Tree, wordOf } from "./tree.ts";

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
