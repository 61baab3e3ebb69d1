import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { runFile } from "../../../../pipeline/base/sql/statements.ts";

// A name of each kind that tables are folded from, and one of none.
const entries = `
  ('job_issue', 'Account'), ('user_modify', 'Account'), ('table_create', 'Table'), ('sign_in', 'Account'),
  ('job_kill', null), ('sign_out', null)`;

it("the names of jobs, permissions and databases are marked for aggregation", async () => {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  await connection.run(`
    create table catalog_entries as select
      event_name as entry_id, event_name, area, 'v' as variant, 'g' as generation, null::varchar as denial_kind,
      'http' as trigger, false as operation_not_shown
    from (values ${entries}) as t(event_name, area);
    create table catalog_names as select
      event_name as recorded_name, event_name as plain_entry_id, null::varchar as entities_entry_id,
      false as is_alias, 3 as max_segments
    from catalog_entries;
    create table catalog_templates (
      recorded_name varchar, entry_id varchar, verb varchar, segments integer, rank integer, pattern varchar,
      operation_id integer
    );
    create table read_order_rows (
      source varchar, unordered_pages integer, falling_pages integer, rising_pages integer
    )`);
  await runFile(connection, "queries/derived/kinds.sql");
  await runFile(connection, "queries/rematch/rematch.sql#signatures");
  const folded = await connection.runAndReadAll(
    "select recorded_name from former_names where is_folded order by recorded_name",
  );
  expect(folded.getRows().flat()).toEqual(["job_issue", "job_kill", "table_create", "user_modify"]);
  connection.closeSync();
  instance.closeSync();
});
