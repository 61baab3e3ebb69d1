import { numberIn } from "./hits.ts";
import { listActivities, type Activity } from "./jobs.ts";
import { listFacts, type RawRecord, type User } from "./record.ts";
import {
  dayMs,
  distinct,
  largestId,
  minuteMs,
  rowsBy,
  sort,
  span,
  stamp,
  within,
  type Oracle,
  type Params,
} from "./rows.ts";
import { keyOf, personOf } from "./taken-out.ts";
import { columnsIn, tablesIn } from "./texts.ts";

type Use = {
  readonly job: Activity;
  readonly kind: string;
  readonly database: string | null;
  readonly table: string;
  readonly isWritten: boolean;
};

function jobsIn(records: readonly RawRecord[], users: readonly User[], params: Params): Activity[] {
  return listActivities(listFacts(records, users)).filter(
    (each) => each.kind === "job" && within(params, each.time),
  );
}

const ownDatabase = ({ database }: Activity): string | null => database?.toLowerCase() ?? null;

/** Each table of a job once for each access. */
function listUses(jobs: readonly Activity[]): Use[] {
  return jobs.flatMap((job) => {
    const uses = tablesIn(job.queryText).map((each) => ({
      ...each,
      job,
      database: each.database ?? ownDatabase(job),
    }));
    const key = (use: Use): string => `${use.database}.${use.table} ${use.isWritten}`;
    return [...new Map(uses.map((use) => [key(use), use])).values()];
  });
}

const before = (params: Params): Params => ({
  ...params,
  since: params.since - Number(params["days"] ?? 30) * dayMs,
});

const userId = (group: readonly { job: Activity }[]): { user_id: string | null } => ({
  user_id: largestId(group.map(({ job }) => job.userId)),
});
const hasEndedBadly = ({ job }: Use): boolean =>
  ["error", "failed", "killed"].includes(job.status ?? "");

/** Who read a table of that name. */
export const tableReaders: Oracle = (records, users, params) => {
  const asked = String(params["table"]).toLowerCase();
  const reads = listUses(jobsIn(records, users, params)).filter(
    ({ isWritten, database, table }) =>
      !isWritten && (table === asked || (database !== null && `${database}.${table}` === asked)),
  );
  const rows = rowsBy(
    reads,
    ({ job, database, table }) => [job.actor, database, table],
    (group) => ({
      actor: group[0].job.actor,
      database_name: group[0].database,
      table_name: group[0].table,
      jobs: group.length,
      failed_or_killed: group.filter(hasEndedBadly).length,
      ...span(group.map(({ job }) => job.time)),
      ...userId(group),
    }),
  );
  return sort(rows, "-jobs actor database_name table_name");
};

/** Tables that are filled in the range and read neither in it nor in the days before. */
export const unreadTables: Oracle = (records, users, params) => {
  const uses = listUses(jobsIn(records, users, before(params)));
  const reads = uses.filter(({ isWritten }) => !isWritten);
  const rows = rowsBy(
    uses,
    ({ database, table }) => [database, table],
    (group) => {
      const [{ database, table }] = group;
      const isRead = reads.some(
        (read) =>
          read.table === table &&
          (read.database === database || read.database === null || database === null),
      );
      const filled = group.filter(
        ({ isWritten, kind, job }) =>
          isWritten && kind.startsWith("insert") && job.time >= params.since,
      );
      if (filled.length === 0 || isRead) return null;
      return {
        database_name: group[0].database,
        table_name: group[0].table,
        jobs: distinct(filled.map(({ job }) => job.objectId)),
        ...span(filled.map(({ job }) => job.time)),
        actors: distinct(filled.map(({ job }) => job.actor)),
      };
    },
  );
  return sort(rows, "-last_at database_name table_name");
};

/** What is read and written, and by how many. */
export const tablesTouched: Oracle = (records, users, params) => {
  const rows = rowsBy(
    listUses(jobsIn(records, users, params)),
    ({ database, table }) => [database, table],
    (group) => {
      const ids = (uses: readonly Use[]): number => distinct(uses.map(({ job }) => job.objectId));
      return {
        database_name: group[0].database,
        table_name: group[0].table,
        jobs: ids(group),
        reading_jobs: ids(group.filter(({ isWritten }) => !isWritten)),
        writing_jobs: ids(group.filter(({ isWritten }) => isWritten)),
        actors: distinct(group.map(({ job }) => job.actor)),
        ...span(group.map(({ job }) => job.time)),
      };
    },
  );
  return sort(rows, "-jobs database_name table_name");
};

const destructive = ["drop", "alter_drop", "delete", "truncate", "insert_overwrite"];

/** The tables that jobs of the range drop, delete from or replace. */
export function destructiveUses(
  records: readonly RawRecord[],
  users: readonly User[],
  params: Params,
): Use[] {
  const uses = listUses(jobsIn(records, users, params));
  return uses.filter(({ kind, isWritten }) => isWritten && destructive.includes(kind));
}

/** What drops, deletes or replaces. */
export const destructiveStatements: Oracle = (records, users, params) => {
  const rows = destructiveUses(records, users, params).map(({ job, kind, database, table }) => ({
    issued_at: stamp(job.time),
    actor: job.actor,
    statement_kind: kind,
    database_name: database,
    table_name: table,
    status: job.status,
    ip_address: job.ip,
    statement_number: 1,
    job_id: job.objectId,
    user_id: job.userId,
  }));
  return sort(rows, "issued_at job_id database_name table_name");
};

/** Tables that an actor used in the range and not in the days before. */
export const firstTableUse: Oracle = (records, users, params) => {
  const rows = rowsBy(
    listUses(jobsIn(records, users, before(params))),
    ({ job, database, table }) => [job.actor, database, table],
    (group) => {
      if (group.some(({ job }) => job.time < params.since)) return null;
      const jobs = new Set(group.map(({ job }) => job.objectId));
      const writing = group.filter(({ isWritten }) => isWritten).map(({ job }) => job.objectId);
      const { first_at, last_at } = span(group.map(({ job }) => job.time));
      return {
        first_at,
        actor: group[0].job.actor,
        database_name: group[0].database,
        table_name: group[0].table,
        jobs: jobs.size,
        writing_jobs: distinct(writing),
        last_at,
        ...userId(group),
      };
    },
  );
  return sort(rows, "first_at actor database_name table_name");
};

const usual =
  "email,e_mail,phone,address,birthday,birth_date,password,ssn,passport,iban,credit_card";

/** Reads of the columns on a list, and of all columns of tables that have one. */
export const sensitiveColumnReads: Oracle = (records, users, params) => {
  const list = String(params["columns"] ?? usual)
    .toLowerCase()
    .split(",")
    .map((name) => name.trim());
  const day = (ms: number): number => Math.floor(ms / dayMs) * dayMs;
  const around = { ...params, since: day(params.since), until: day(params.until) + dayMs };
  const reads = jobsIn(records, users, around).flatMap((job) =>
    columnsIn(job.queryText).map(({ database, table, column }) => ({
      job,
      column,
      database: database ?? ownDatabase(job),
      table: `${database ?? ownDatabase(job)}.${table}`,
    })),
  );
  // By its name alone, with its table's, or with those of both table and database.
  const isListed = ({ table, column }: { table: string; column: string }): boolean =>
    [column, `${table.split(".")[1]!}.${column}`, `${table}.${column}`].some((name) =>
      list.includes(name),
    );
  const sensitive = new Set(reads.filter(isListed).map(({ table }) => table));
  const wanted = reads.filter(
    (read) =>
      within(params, read.job.time) &&
      (isListed(read) || (read.column === "*" && sensitive.has(read.table))),
  );
  const rows = rowsBy(
    wanted,
    ({ job, table, column }) => [job.actor, table, column],
    (group) => ({
      actor: group[0].job.actor,
      database_name: group[0].database,
      table_name: group[0].table.split(".")[1]!,
      column_name: group[0].column,
      jobs: distinct(group.map(({ job }) => job.objectId)),
      ...span(group.map(({ job }) => job.time)),
      ...userId(group),
    }),
  );
  return sort(rows, "-jobs actor database_name table_name column_name");
};

/** Downloads and exports soon after a read of a column on the list. */
export const sensitiveReadThenExport: Oracle = (records, users, params) => {
  const list = String(params["sensitive_columns"] ?? usual)
    .toLowerCase()
    .split(",")
    .map((name) => name.trim());
  const day = (ms: number): number => Math.floor(ms / dayMs);
  const always = { ...params, since: -Infinity, until: Infinity };
  const reads = jobsIn(records, users, always).flatMap((job) =>
    columnsIn(job.queryText).map(({ database, table, column }) => {
      const from = `${database ?? ownDatabase(job) ?? ""}.${table}`;
      const names = [column, `${table}.${column}`, `${from}.${column}`];
      return { job, table, from, column, isListed: names.some((name) => list.includes(name)) };
    }),
  );
  const isSensitive = (read: (typeof reads)[number]): boolean =>
    read.isListed ||
    (read.column === "*" &&
      reads.some((other) => {
        const days = day(read.job.time) - day(other.job.time);
        return (
          other.isListed &&
          other.from === read.from &&
          days > 0 &&
          days <= numberIn(params, "days", 30)
        );
      }));
  const sensitive = reads.filter(isSensitive);
  const least = (texts: readonly string[]): string =>
    texts.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))[0]!;
  const rows = listFacts(records, users)
    .filter(
      (f) =>
        within(params, f.time) &&
        /^job_result_(?:download|export)$/.test(f.canonical ?? "") &&
        f.outcome === "succeeded",
    )
    .flatMap((f) => {
      const own = sensitive.filter(
        ({ job }) =>
          personOf(job.fact) === personOf(f) &&
          job.time <= f.time &&
          f.time - job.time <= numberIn(params, "minutes", 60) * minuteMs,
      );
      if (own.length === 0) return [];
      return [
        {
          event_time: stamp(f.time),
          actor: f.actor,
          event_name: f.canonical,
          columns: distinct(own.map(({ from, column }) => `${from}.${column}`)),
          table_name: least(own.map(({ table }) => table)),
          column_name: least(own.map(({ column }) => column)),
          first_at: span(own.map(({ job }) => job.time)).first_at,
          bytes: f.number("bytesize"),
          ip_address: f.ip,
          ...keyOf(f),
        },
      ];
    });
  return sort(
    rows,
    "event_time actor event_name columns table_name column_name first_at bytes ip_address user_id account",
  );
};
