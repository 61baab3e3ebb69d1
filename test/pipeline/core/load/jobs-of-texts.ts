import { ownDatabase, makeText } from "../query-texts/texts.ts";
import type { TestHome } from "../../../support/home.ts";
import type { Row } from "../../../support/rows.ts";

/** Has the texts of queries read, within a minute. */
export const on = { env: { AUDITLAKE_QUERY_TEXTS_TIME_LIMIT: "60s" } };
const dayS = 86_400;
const firstS = Date.UTC(2026, 0, 5) / 1000;

/** A job that runs a text, on a day counted from the first. */
export type Job = {
  readonly id: string;
  readonly day: number;
  readonly text: string;
  readonly type?: string;
};

/** The event of its start. */
export const issue = ({ id, day, text, type = "presto" }: Job): object => ({
  id: `issue-${id}`,
  time: firstS + day * dayS + Number(id) * 60,
  event_name: "job_issue",
  user_id: 1,
  resource_id: id,
  resource_name: `${ownDatabase}.${id}`,
  job_type: type,
  query_text: text,
});

/** The event of its end, so many days later. */
export const finish = ({ id, day }: Job, days = 0): object => ({
  id: `finish-${id}`,
  time: firstS + (day + days) * dayS + Number(id) * 60 + 30,
  event_name: "job_modify",
  user_id: 1,
  resource_id: id,
  resource_name: `${ownDatabase}.${id}`,
  attribute_name: "status",
  new_value: "success",
});

/** A day as a date. */
export const toDate = (day: number): string =>
  new Date((firstS + day * dayS) * 1000).toISOString().slice(0, 10);

const lines = (rows: readonly Row[]): string[] => rows.map((row) => Object.values(row).join(" "));

/** What is known of the tables that jobs touched, a line each. */
export const readTables = async (home: TestHome): Promise<string[]> =>
  lines(
    await home.rows(
      "select job_id, job_date, statement_number, statement_kind, database_name || '.' || table_name, access from query_tables order by all",
    ),
  ).sort();

/** How many texts are in each state. */
export const readStates = async (home: TestHome): Promise<string[]> =>
  lines(await home.rows("select state, count(*) from query_text_rows group by state")).sort();

/** How many texts wait to be read. */
export const waiting = (home: TestHome): Promise<number> =>
  home.count("select count(*) from query_text_due");

/** Twelve jobs on five days; two run each text. */
export const jobs: readonly Job[] = Array.from({ length: 12 }, (_, i) => {
  const { text, dialect } = makeText(500 + Math.floor(i / 2));
  return { id: String(100 + i), day: i % 5, text, type: dialect === "hive" ? "hive" : "presto" };
});
/** What `readTables` says of them all once their texts are read. */
export const truth = jobs
  .flatMap(({ id, day }, i) =>
    makeText(500 + Math.floor(i / 2)).truth.map((line) => `${id} ${toDate(day)} ${line}`),
  )
  .sort();
