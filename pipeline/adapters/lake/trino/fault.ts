import { commandText } from "../../../base/command-line.ts";
import { AuditlakeError } from "../../../base/errors.ts";
import { printable } from "../../../base/printable.ts";

type Fault = { readonly message: string; readonly errorName: string; readonly errorType: string };

/** What the engine says of a statement that it cannot read: it names parts of the statement, no values of records. */
const ofStatement = new Set([
  "SYNTAX_ERROR",
  "FUNCTION_NOT_FOUND",
  "TYPE_MISMATCH",
  "COLUMN_NOT_FOUND",
  "TABLE_NOT_FOUND",
  "SCHEMA_NOT_FOUND",
  "CATALOG_NOT_FOUND",
  "NOT_SUPPORTED",
  "OPERATOR_NOT_FOUND",
  "TYPE_NOT_FOUND",
  "AMBIGUOUS_NAME",
  "EXPRESSION_NOT_AGGREGATE",
  "MISSING_COLUMN_NAME",
  "MISSING_COLUMN_ALIASES",
  "INVALID_RECURSIVE_REFERENCE",
  "DUPLICATE_NAMED_QUERY",
  "INVALID_ARGUMENTS",
  "PERMISSION_DENIED",
]);

/** A node of the engine went away during the query. */
const ofNodes = new Set([
  "REMOTE_HOST_GONE",
  "REMOTE_TASK_ERROR",
  "PAGE_TRANSPORT_ERROR",
  "PAGE_TRANSPORT_TIMEOUT",
  "NO_NODES_AVAILABLE",
]);

/** A query that failed by no fault of its own, and may be asked once more. */
export class NodeGoneError extends AuditlakeError {
  override name = "NodeGoneError";
}

/** An error of the engine in one line, without the values of records. */
export function faultOf({ message, errorName }: Fault): AuditlakeError {
  const name = printable(errorName).slice(0, 60);
  if (ofNodes.has(name))
    return new NodeGoneError(`the engine lost a node during the query (${name}); run it again`);
  const first = printable(message.split("\n")[0] ?? "").slice(0, 500);
  if (name === "TABLE_NOT_FOUND" || name === "SCHEMA_NOT_FOUND" || name === "CATALOG_NOT_FOUND")
    return new AuditlakeError(
      `the engine says ${name}: ${first}; run what ${commandText("lake", "ddl", "--engine", "trino")} prints, and check engines.trino.catalog and schema; what concerns a home alone is not in a lake (docs/scale.md)`,
    );
  if (ofStatement.has(name))
    return new AuditlakeError(
      `the engine cannot run this statement: ${name}: ${first}; it has to keep to standard SQL, as docs/scale.md says`,
    );
  if (name === "EXCEEDED_TIME_LIMIT")
    return new AuditlakeError(
      "the query took longer than it may at the engine; ask for less, or raise engines.trino.timeout (for sql --timeout)",
    );
  return new AuditlakeError(`the engine says ${name}; its own log says more`);
}
