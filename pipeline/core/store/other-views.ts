import { formatCommand } from "../../base/command-line.ts";
import type { DuckDBConnection } from "@duckdb/node-api";
import { AuditlakeError, getMessage } from "../../base/errors.ts";
import { fingerprints } from "../../../schemas/generated/fingerprints.ts";
import { queryFile } from "../../base/sql/statements.ts";

/** A statement of this version that needs views which the published file of another version does not have. */
export class OtherViewsError extends AuditlakeError {
  override name = "OtherViewsError";
  constructor() {
    super(
      `the published file was created by another version of auditlake; run ${formatCommand("publish")}, then repeat the query`,
    );
  }
}

type Ask = (...given: unknown[]) => Promise<unknown>;

/**
 * Makes a connection to the published file advise what to do if a name is unknown to a file with other views.
 * Statements of the package name existing views, as long as the views are its own, too. Other faults stay unchanged.
 */
export function explainOtherViews(connection: DuckDBConnection): DuckDBConnection {
  let isAsking = false;
  const isOfOthers = async (): Promise<boolean> => {
    if (isAsking) return false;
    isAsking = true;
    // Very old databases do not record which views they have.
    const isCurrent = await areViewsCurrent(connection).catch(
      (error: unknown) => !isUnknown(error),
    );
    isAsking = false;
    return !isCurrent;
  };
  const throwExplained = async (error: unknown): Promise<never> => {
    throw isUnknown(error) && (await isOfOthers()) ? new OtherViewsError() : error;
  };
  const wrapAsk =
    (ask: Ask): Ask =>
    (...given) =>
      ask(...given).catch(throwExplained);
  for (const name of ["run", "runAndReadAll", "stream", "prepare"] as const)
    Object.assign(connection, { [name]: wrapAsk((connection[name] as Ask).bind(connection)) });
  const extract = connection.extractStatements.bind(connection);
  connection.extractStatements = async (sql) => {
    const statements = await extract(sql);
    const prepare = wrapAsk((statements.prepare as Ask).bind(statements));
    return Object.assign(statements, { prepare });
  };
  return connection;
}

function isUnknown(error: unknown): boolean {
  return !(error instanceof AuditlakeError) && /(Binder|Catalog) Error/.test(getMessage(error));
}

/** Checks whether the views of an open database match this version. */
async function areViewsCurrent(connection: DuckDBConnection): Promise<boolean> {
  const [made] = await queryFile(connection, "queries/store/filled.sql#views");
  return made?.["view_version"] === fingerprints.views;
}
