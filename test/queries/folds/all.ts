import { readFileSync } from "node:fs";
import type { DuckDBConnection } from "@duckdb/node-api";
import { expect } from "vitest";
import { readAsset } from "../../../pipeline/base/home/assets.ts";
import { resolveHome } from "../../../pipeline/base/home/layout.ts";
import { openPublished } from "../../../pipeline/core/store/open.ts";
import { splitStatements } from "../../../pipeline/base/sql/statements.ts";
import type { TestHome } from "../../support/home.ts";

// The derived tables as views computed them from all events at each query: what the stored tables must equal.
const here = import.meta.dirname;
// Views select from each other: marks before spans before changes.
const files = ["query_activity", "permission_marks", "permission_spans", "permission_changes"];
const views = [...files, "sightings", "id_conflicts"].map((file) =>
  readFileSync(`${here}/${file}.sql`, "utf8"),
);
// How an object is named is no matter of folding (permission-bindings.simulation.test.ts).
const texts = [readAsset("queries/derived/bound_name.sql"), ...views];

const compared: Readonly<Record<string, string>> = {
  query_activity: "query_activity",
  permission_marks: "permission_marks",
  permission_spans: "permission_spans",
  permission_changes: "permission_changes",
  policies: "policies",
  policy_members: "policy_members",
  databases: "databases",
  active_days: "active_days",
  sightings: "sightings",
  user_addresses: "user_addresses",
  id_conflicts: "id_conflicts",
  job_days: "(select source, job_id, event_dates from job_rows)",
};

/** Compares every derived view of what a home has published with a rebuild; returns how many rows each has. */
export async function compareFolds(home: TestHome, when: string): Promise<Record<string, number>> {
  const limits = { memoryLimit: "500MB", threads: 2 };
  await using database = await openPublished(resolveHome(home.home).published, limits);
  return await compareIn(database.connection, when);
}

/** The same over a connection. */
export async function compareIn(
  connection: DuckDBConnection,
  when: string,
): Promise<Record<string, number>> {
  const rows = async (sql: string): Promise<unknown[]> =>
    (await connection.runAndReadAll(sql)).getRowObjectsJson();
  for (const statement of texts.flatMap(splitStatements)) await connection.run(statement);
  const counts: Record<string, number> = {};
  for (const [name, kept] of Object.entries(compared)) {
    const found = await rows(`select * from ${kept} as kept order by all`);
    expect(found, `${name} ${when}`).toEqual(
      await rows(`select * from folded_${name} order by all`),
    );
    counts[name] = found.length;
  }
  return counts;
}
