import { formatCommand } from "../command-line.ts";
import {
  StatementType,
  type DuckDBConnection,
  type DuckDBPreparedStatement,
} from "@duckdb/node-api";
import { getMessage, UsageError } from "../errors.ts";

// The one gate: every statement that is not written in this program, and every report, passes it.

/** Why a statement is not run at all. */
export class RefusedStatement extends UsageError {
  override name = "RefusedStatement";
}

/**
 * Prepares the one SELECT that the text holds; throws RefusedStatement for anything else. The decision is
 * the parser's: a list of forbidden words can be got round.
 */
export async function prepareSelect(
  connection: DuckDBConnection,
  sql: string,
): Promise<DuckDBPreparedStatement> {
  const prepared = await prepareOnly(connection, sql).catch((error: unknown) => {
    throw checkWrite(sql) ?? error;
  });
  const type = prepared.statementType;
  if (type === StatementType.SELECT) return prepared;
  if (type === StatementType.EXPLAIN)
    throw new RefusedStatement(
      `EXPLAIN is not accepted in the query; use ${formatCommand("sql", "--explain")}`,
    );
  throw newNoSelectError(StatementType[type]);
}

function newNoSelectError(found: string): RefusedStatement {
  return new RefusedStatement(
    `only SELECT is run (also WITH, FROM, VALUES, DESCRIBE, SHOW, SUMMARIZE), found ${found}; the published file is read-only`,
  );
}

// What a writing statement names may be a view, and then the database speaks of that before its kind is known.
function checkWrite(sql: string): RefusedStatement | undefined {
  const [verb] = /^(?:insert|update|delete|merge)\b/i.exec(sql.replace(beforeSelect, "")) ?? [];
  return verb === undefined ? undefined : newNoSelectError(verb.toUpperCase());
}

/** Prepares the plan of a SELECT. Never ANALYZE: that would run the statement. */
export async function prepareExplain(
  connection: DuckDBConnection,
  sql: string,
): Promise<DuckDBPreparedStatement> {
  refuseParameters(await prepareSelect(connection, sql));
  const prepared = await prepareOnly(connection, `explain\n${sql}`);
  if (prepared.statementType !== StatementType.EXPLAIN)
    throw new RefusedStatement("this statement has no plan to show; expected a SELECT");
  return prepared;
}

/** Throws RefusedStatement for a statement with parameters, since they have no values. */
export function refuseParameters({ parameterCount }: DuckDBPreparedStatement): void {
  if (parameterCount > 0)
    throw new RefusedStatement(
      `the query has ${parameterCount} parameter(s), expected none: write the values into the query, or make it a report file`,
    );
}

/** Prepares a SELECT that was let through already so that it runs without giving out rows. */
export function prepareAgain(
  connection: DuckDBConnection,
  sql: string,
): Promise<DuckDBPreparedStatement> {
  return prepareOnly(connection, `explain analyze\n${sql}`);
}

/**
 * Prepares a statement of ours around a SELECT, which has to pass the gate by itself first. `around` gets the select
 * between line breaks, so that a comment at its end does not swallow the rest.
 */
export async function prepareAround(
  connection: DuckDBConnection,
  sql: string,
  around: (select: string) => string,
): Promise<DuckDBPreparedStatement> {
  (await prepareSelect(connection, sql)).destroySync();
  return withoutSemicolon(connection, sql.replace(beforeSelect, ""), around);
}

// White space, semicolons and comments; a comment that holds the beginning of another one is left.
const beforeSelect = /^(?:[\s;]|--[^\n\r]*\r?\n|\/\*(?:[^*/]|\*(?!\/)|\/(?!\*))*\*\/)+/;

// A semicolon that ends a select may not be inside brackets. Only the database knows which one it is, so the last ones
// are removed until it accepts the rest. Texts before it keep theirs.
async function withoutSemicolon(
  connection: DuckDBConnection,
  sql: string,
  around: (select: string) => string,
): Promise<DuckDBPreparedStatement> {
  try {
    return await prepareOnly(connection, around(`\n${sql}\n`));
  } catch (error) {
    const last = sql.lastIndexOf(";");
    if (last < 0) throw error;
    return withoutSemicolon(connection, sql.slice(0, last) + sql.slice(last + 1), around);
  }
}

async function prepareOnly(
  connection: DuckDBConnection,
  sql: string,
): Promise<DuckDBPreparedStatement> {
  // The database takes its text up to the first NUL (github.com/duckdb/duckdb-java/issues/34 is the same): the rest
  // would go unseen.
  if (sql.includes("\0"))
    throw new RefusedStatement("the query contains a NUL character; remove it");
  const statements = await connection.extractStatements(sql).catch(throwEmptyOrBroken);
  if (statements.count === 1) return statements.prepare(0);
  // PIVOT without a list of values is rewritten into two statements (seen with DuckDB 1.5.6).
  if (statements.count === 2 && /\bpivot(_wider)?\b/i.test(sql))
    throw new RefusedStatement(
      "this PIVOT reads its columns from the data, which needs a second statement: list the columns, as in PIVOT … ON area IN ('Account', 'User')",
    );
  throw new RefusedStatement(`one statement is run at a time, found ${statements.count}`);
}

function throwEmptyOrBroken(error: unknown): never {
  // The binding reports a text without any statement as a failure of its own (seen with @duckdb/node-api 1.5.6).
  if (getMessage(error).includes("Error in native callback"))
    throw new RefusedStatement("the query contains no statement; expected one SELECT");
  throw error;
}
