import type { DuckDBConnection } from "@duckdb/node-api";
import { count, queryRows, text } from "../../base/sql/typed-rows.ts";
import { bindKeys, type PersonKey } from "./person.ts";

const shape = {
  id: text,
  severity: text,
  title: text,
  message: text,
  state: text,
  firstMs: count,
  lastMs: count,
};

/** Reads findings about a person or a name that are not closed, the most severe first. */
export async function readSubjectFindings(
  connection: DuckDBConnection,
  keys: readonly PersonKey[],
  subject: string | null,
) {
  const values = { ...bindKeys(keys), subject };
  return queryRows(connection, "queries/pages/subject/findings.sql", shape, values);
}
export type SubjectFinding = Awaited<ReturnType<typeof readSubjectFindings>>[number];
