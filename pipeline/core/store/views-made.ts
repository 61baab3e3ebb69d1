import type { DuckDBConnection } from "@duckdb/node-api";
import { fingerprints } from "../../../schemas/generated/fingerprints.ts";
import { queryFile } from "../../base/sql/statements.ts";

/** Whether the views of an open database are those that this version makes. */
export async function areViewsCurrent(connection: DuckDBConnection): Promise<boolean> {
  const [made] = await queryFile(connection, "queries/store/filled.sql#views");
  return made?.["view_version"] === fingerprints.views;
}
