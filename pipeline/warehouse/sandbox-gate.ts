import {
  StatementType,
  type DuckDBConnection,
  type DuckDBPreparedStatement,
} from "@duckdb/node-api";
import { messageOf } from "../errors.ts";

/** Why a statement is not run at all. */
export class RefusedStatement extends Error {
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
  const prepared = await prepareOnly(connection, sql);
  const type = prepared.statementType;
  if (type === StatementType.EXPLAIN)
    throw new RefusedStatement(
      "EXPLAIN is not accepted as part of the query: leave the word out and add --explain",
    );
  if (type !== StatementType.SELECT)
    throw new RefusedStatement(
      `only SELECT is run (also WITH, FROM, VALUES, DESCRIBE, SHOW, SUMMARIZE), found ${StatementType[type]}; the published file is never written to`,
    );
  if (prepared.parameterCount > 0)
    throw new RefusedStatement(
      `the query has ${prepared.parameterCount} parameter(s), expected none: write the values into the query, or make it a report file`,
    );
  return prepared;
}

/** Prepares the plan of a SELECT. Never ANALYZE: that would run the statement. */
export async function prepareExplain(
  connection: DuckDBConnection,
  sql: string,
): Promise<DuckDBPreparedStatement> {
  await prepareSelect(connection, sql);
  const prepared = await prepareOnly(connection, `explain\n${sql}`);
  if (prepared.statementType !== StatementType.EXPLAIN)
    throw new RefusedStatement("this statement has no plan to show; expected a SELECT");
  return prepared;
}

/** Prepares a SELECT that was let through already so that it runs without giving out rows. */
export function prepareAgain(
  connection: DuckDBConnection,
  sql: string,
): Promise<DuckDBPreparedStatement> {
  return prepareOnly(connection, `explain analyze\n${sql}`);
}

async function prepareOnly(
  connection: DuckDBConnection,
  sql: string,
): Promise<DuckDBPreparedStatement> {
  const statements = await connection.extractStatements(sql).catch(emptyOrBroken);
  if (statements.count === 1) return statements.prepare(0);
  // PIVOT without a list of values is rewritten into two statements.
  if (statements.count === 2 && /\bpivot(_wider)?\b/i.test(sql))
    throw new RefusedStatement(
      "this PIVOT reads its columns from the data, which takes a second statement: list them, as in PIVOT … ON area IN ('Account', 'User')",
    );
  throw new RefusedStatement(
    `one statement is run at a time, found ${statements.count}: send them one by one`,
  );
}

function emptyOrBroken(error: unknown): never {
  // The binding reports a text without any statement as a failure of its own.
  if (messageOf(error).includes("Error in native callback"))
    throw new RefusedStatement("the query holds no statement; expected one SELECT");
  throw error;
}
