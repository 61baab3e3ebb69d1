import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import type { Source } from "./plan.ts";

/** A row that the home lists as one that did not arrive. */
export type Listed = {
  readonly id: string;
  readonly status: string;
  readonly state: string;
  /** Which content it is of, as the home names it. */
  readonly hash: string;
};

/** An id without a phone number: no message can ever be delivered to it. */
export const numberless = "g";

/** Makes the source what the published file holds. */
export async function publish(path: string, source: Source): Promise<void> {
  await onDuckDB(path, async (run) => {
    await run("create or replace table people (id varchar, content varchar, phone_number varchar)");
    for (const [id, content] of source)
      await run(`insert into people values ('${id}', '${content}', '${getPhone(id)}')`);
  });
}

function getPhone(id: string): string {
  if (id === numberless) return "nobody";
  return `+1631555${String(id.charCodeAt(0)).padStart(4, "0")}`;
}

/** The rows that an activation lists as not arrived. */
export async function listedIn(path: string): Promise<Listed[]> {
  const found: Listed[] = [];
  await onDuckDB(path, async (run) => {
    const rows = await run(
      "select delta_id, delta_status, state, delta_hash from refused_rows order by all",
    );
    for (const row of rows)
      found.push({
        id: String(row["delta_id"]),
        status: String(row["delta_status"]),
        state: String(row["state"]),
        hash: String(row["delta_hash"]),
      });
  });
  return found;
}

type Run = (sql: string) => Promise<Record<string, unknown>[]>;

async function onDuckDB(path: string, work: (run: Run) => Promise<void>): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  try {
    await work(async (sql) => (await connection.runAndReadAll(sql)).getRowObjects());
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
