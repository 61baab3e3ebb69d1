import type { DuckDBConnection, DuckDBPreparedStatement } from "@duckdb/node-api";
import { prepareSelect } from "../../base/sql/gate.ts";
import type { Question } from "../../base/sql/question.ts";
import { bind, statementOf } from "../../base/sql/bind.ts";
import { queryFailure } from "../../base/sql/failure.ts";
import type { Statement } from "../../base/sql/bound.ts";

/**
 * Makes a connection, and the database it belongs to, good for compiling alone. Plans stay as they were bound, which
 * finds all that is wrong with a statement in two thirds of the time. Nothing runs ahead of being asked.
 */
export async function prepareToCompile(connection: DuckDBConnection): Promise<void> {
  await connection.run("pragma disable_optimizer");
  await connection.run("set threads = 1");
}

/**
 * Compiles a question on a database and reads no row. Throws AuditlakeError where values and statement do not fit each
 * other or the database.
 */
export async function compileQuestion(
  connection: DuckDBConnection,
  question: Question,
): Promise<void> {
  const { sql, values } = statementOf(question);
  try {
    const prepared = await prepareSelect(connection, sql);
    const isTyped = hasTypesOf(prepared, values);
    bind(prepared, values);
    // Binds the statement anew, for the types of these values; rows would come by tasks that nobody runs.
    if (!isTyped) prepared.start();
    prepared.destroySync();
  } catch (error) {
    throw queryFailure(error);
  }
}

// Whether the statement by itself already takes each parameter for the type of its value.
function hasTypesOf(prepared: DuckDBPreparedStatement, values: Statement["values"]): boolean {
  for (let i = 1; i <= prepared.parameterCount; i++)
    if (values[prepared.parameterName(i)]?.type.typeId !== prepared.parameterTypeId(i))
      return false;
  return true;
}
