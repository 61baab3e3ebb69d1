import { quoteText } from "../../schemas/quote.ts";
import { contract } from "../../schemas/generated/contract.ts";
import { queryFile, type Values } from "../../pipeline/base/sql/statements.ts";
import { openInMemory } from "../../pipeline/core/store/open.ts";

type Cell = string | number | boolean | null;

/** A row of a test; columns that it leaves out are null. */
export type Given = Readonly<Record<string, Cell>>;

/** Rows by the table or view that a file looks for. */
export type Tables = Readonly<Record<string, readonly Given[]>>;

/** What a file of queries/ answers where these rows are all there is: the named columns, or the values of the only one. */
export async function listMessages(
  file: string,
  tables: Tables,
  columns: string,
  values: Values,
): Promise<unknown[]> {
  await using database = await openInMemory({ memoryLimit: "200MB", threads: 1 });
  const { connection } = database;
  for (const [name, rows] of Object.entries(tables)) {
    const inserts = rows
      .map((given) => withNames(name, given))
      .map(
        (row) =>
          `insert into ${name} (${Object.keys(row).join(", ")}) values (${Object.values(row).map(literal).join(", ")})`,
      );
    const create = `create table ${name} (${listColumns(name)})`;
    await connection.run([create, ...inserts].join("; "));
  }
  const found = await queryFile(connection, `queries/${file}.sql`, values);
  const names = columns.split(" ");
  return found.map((row) => {
    const cells = names.map((name) => show(row[name]));
    return names.length === 1 ? cells[0] : cells;
  });
}

const doubts = ["contradicted", "log, order unknown", "snapshot, time unknown", "gap in the log"];

// What views derive: names of people from e-mail or id, and whether what they know a right from proves it.
function withNames(table: string, given: Given): Given {
  const isCertain = !doubts.includes(String(given["known_from"]));
  const row = "known_from" in given ? { is_certain: isCertain, ...given } : given;
  const has = (column: string): boolean => listColumns(table).includes(` ${column} `);
  const byId = (row["user_id"] ?? null) === null ? null : `user ${row["user_id"]}`;
  if (has("person")) return { person: row["user_email"] ?? byId, ...row };
  if (has("actor")) return { actor: row["actor_email"] ?? byId ?? "unknown", ...row };
  return row;
}

const literal = (value: Cell): string =>
  typeof value === "string" ? quoteText(value) : String(value);

function listColumns(name: string): string {
  const table = contract.find((each) => each.name === name);
  return (
    table?.columns.map((column) => `${column.name} ${column.type}`).join(", ") ?? others[name]!
  );
}

const show = (value: unknown): unknown =>
  value === null || typeof value === "boolean" ? value : String(value);

// Names that are no documented table or view, as far as the tests use them.
const others: Readonly<Record<string, string>> = {
  sighting_rows:
    "source varchar, subject_kind varchar, subject varchar, first_seen_at timestamp, last_seen_at timestamp",
  access_event_rows:
    "source varchar, canonical_name varchar, event_time timestamp, is_successful boolean, resource_id varchar, resource_name varchar",
  unread_log: "source varchar, unread_from timestamp, unread_until timestamp, is_pruned boolean",
  window_reads:
    "read_id varchar, run_id varchar, source varchar, window_start timestamp, window_end timestamp, read_at timestamp, server_time timestamp, state varchar, neutral boolean, is_mark boolean",
  event_rows:
    "source varchar, event_time timestamp, event_name varchar, first_seen_at timestamp, read_id varchar",
  checkpoints: "source varchar, finalized_until timestamp",
  known_windows:
    "source varchar, window_start timestamp, window_end timestamp, state varchar, reads bigint, reason varchar, signs varchar[], last_read_at timestamp, vanished bigint",
  read_stretches: "source varchar, stretch_start timestamp, stretch_end timestamp, state varchar",
  known_reach: "source varchar, read_up_to timestamp",
  permission_mark_rows:
    "source varchar, subject_kind varchar, subject_id varchar, resource_kind varchar, object_id varchar, event_time timestamp",
  unknown_policies: "source varchar, policy_id varchar, policy_name varchar",
};
