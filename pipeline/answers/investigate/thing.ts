import type { DuckDBConnection } from "@duckdb/node-api";
import { count, nullable, queryRows, text, truth } from "../../base/sql/typed-rows.ts";
import { toTimestamp } from "../../base/time/text.ts";
import type { SubjectKind } from "./subject.ts";

const path = "queries/pages/subject/thing.sql";

/** Reads when the log names an address or a database for the first and the last time; undefined for others. */
export async function readSighting(connection: DuckDBConnection, kind: SubjectKind, name: string) {
  const shape = { firstSeenMs: nullable(count), lastSeenMs: nullable(count) };
  const subjectKind = kind === "resource" ? "database" : kind;
  const [row] = await queryRows(connection, `${path}#sighting`, shape, {
    subject_kind: subjectKind,
    subject: name,
  });
  return row?.firstSeenMs == null ? undefined : row;
}

/** Reads what an object is: a database, a policy or another object. */
export async function readObjectKind(connection: DuckDBConnection, object: string) {
  const [row] = await queryRows(connection, `${path}#object_kind`, { kind: text }, { object });
  return row!.kind;
}

/** Reads when a job of this id or name was first seen; null for a job that was never issued. */
export async function readJobStart(
  connection: DuckDBConnection,
  job: string,
): Promise<number | null> {
  const shape = { firstMs: nullable(count) };
  const [row] = await queryRows(connection, "queries/investigate/names.sql#job", shape, { job });
  return row?.firstMs ?? null;
}

const holderShape = {
  person: text,
  operation: text,
  resourceKind: text,
  object: nullable(text),
  way: text,
  policy: nullable(text),
  sinceMs: nullable(count),
  grantedBy: nullable(text),
  isFull: truth,
  holders: count,
};

/** Reads who has rights on an object or, of a policy, through it, those with full access first. */
export async function readHolders(
  connection: DuckDBConnection,
  object: string,
  onMs: number,
  most: number,
) {
  const values = { object, on: toTimestamp(onMs), most };
  return queryRows(connection, `${path}#holders`, holderShape, values);
}
export type Holder = Awaited<ReturnType<typeof readHolders>>[number];
