import type { DuckDBConnection } from "@duckdb/node-api";
import { count, nullable, queryRows, text, truth } from "../../base/sql/typed-rows.ts";
import { bindRange } from "./activity.ts";
import { bindKeys, type PersonKey } from "./person.ts";
import type { Range } from "./subject.ts";

const riskShape = { risk: count, reasons: text };

/** Reads the highest risk of a person; undefined where no open finding is about them. */
export async function readRisk(connection: DuckDBConnection, keys: readonly PersonKey[]) {
  const [row] = await queryRows(
    connection,
    "queries/pages/person/risk.sql",
    riskShape,
    bindKeys(keys),
  );
  return row;
}
export type Risk = NonNullable<Awaited<ReturnType<typeof readRisk>>>;

/** By what people are ordered, the most first. */
export const peopleOrders = ["risk", "events", "refused", "bytes", "seen"] as const;
export type PeopleOrder = (typeof peopleOrders)[number];

/** Which people, in which order, and how many of them after how many others. */
export type PeopleQuestion = {
  readonly range: Range;
  /** How far clocks are ahead of UTC, in minutes: where days begin. */
  readonly offsetMinutes: number;
  readonly search: string | null;
  readonly order: PeopleOrder;
  readonly most: number;
  readonly skipped: number;
};

const shape = {
  source: text,
  userId: nullable(text),
  person: text,
  name: nullable(text),
  isListed: truth,
  isAdministrator: truth,
  isOwner: truth,
  isService: truth,
  risk: count,
  reasons: nullable(text),
  events: count,
  refused: count,
  bytes: count,
  /** Days with events: `2026-11-21 5,2026-11-22 1`. */
  days: nullable(text),
  lastSeenMs: nullable(count),
  people: count,
};

/** Reads people of the directory and of the log with what they did in a range. */
export async function readPeople(
  connection: DuckDBConnection,
  { range, offsetMinutes, search, order, most, skipped }: PeopleQuestion,
) {
  const values = {
    ...bindRange(range),
    offset_minutes: offsetMinutes,
    search,
    order,
    most,
    skipped,
  };
  return queryRows(connection, "queries/pages/people.sql", shape, values);
}
export type PersonRow = Awaited<ReturnType<typeof readPeople>>[number];
