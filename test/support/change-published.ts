import { DuckDBInstance } from "@duckdb/node-api";
import { chmodSync } from "node:fs";
import { resolveHome } from "../../pipeline/base/home/layout.ts";

/** Changes the published file of a home, which is read-only, as another program or version would. */
export async function changePublished(home: string, sql: string): Promise<void> {
  const { published } = resolveHome(home);
  chmodSync(published, 0o600);
  const instance = await DuckDBInstance.create(published);
  const connection = await instance.connect();
  await connection.run(sql);
  connection.closeSync();
  instance.closeSync();
  chmodSync(published, 0o440);
}
