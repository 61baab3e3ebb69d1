import type { DuckDBConnection } from "@duckdb/node-api";
import { count, nullable, oneOf, queryRows, text, truth } from "../../base/sql/typed-rows.ts";
import { runFile, type Values } from "../../base/sql/statements.ts";
import { toTimestamp } from "../../base/time/text.ts";
import type { Range, SubjectKind } from "./subject.ts";

const path = "queries/pages/subject/activity.sql";

/** What the events of a subject are, as lanes of a timeline show them. */
export const lanes = [
  "denial",
  "sign_in",
  "right",
  "setting",
  "query",
  "download",
  "other",
] as const;
export type Lane = (typeof lanes)[number];

/** A range as statements of pages take it. */
export function bindRange({ sinceMs, untilMs }: Range): Values {
  return { since: toTimestamp(sinceMs), until: toTimestamp(untilMs) };
}

/**
 * Collects the events of a subject in a range, which the other functions here read on the same connection. The values
 * name the subject.
 */
export async function collectEvents(
  connection: DuckDBConnection,
  kind: SubjectKind,
  range: Range,
  values: Values,
): Promise<void> {
  const all = { ...values, ...bindRange(range) };
  await runFile(connection, `queries/pages/subject/${kind}.sql`, all);
}

const slotShape = {
  slotMs: count,
  lane: oneOf(lanes),
  outcome: text,
  denialKind: nullable(text),
  events: count,
  bytes: nullable(count),
  /** Whether one of them is the first of its address in the log, after the first week. */
  isFirst: truth,
};

/** Reads how many events of each lane and outcome there were in each second or quarter of an hour. */
export async function readSlots(connection: DuckDBConnection, length: "second" | "quarter") {
  return queryRows(connection, `${path}#${length === "second" ? "moments" : "slots"}`, slotShape);
}
export type Slot = Awaited<ReturnType<typeof readSlots>>[number];

/** Adds up an amount of each slot. */
export function sumSlots(slots: readonly Slot[], getAmount: (slot: Slot) => number): number {
  return slots.reduce((total, slot) => total + getAmount(slot), 0);
}

const addressShape = {
  ipAddress: nullable(text),
  events: count,
  refused: count,
  others: count,
  firstMs: count,
  lastMs: count,
  seenMs: nullable(count),
  isNew: truth,
};

/** Reads the addresses of the events, the busiest first, and how many other people used each in the range. */
export async function readAddresses(connection: DuckDBConnection, range: Range) {
  return queryRows(connection, `${path}#addresses`, addressShape, bindRange(range));
}
export type AddressUse = Awaited<ReturnType<typeof readAddresses>>[number];

const databaseShape = {
  databaseName: text,
  events: count,
  results: count,
  bytes: nullable(count),
  lastMs: count,
};

/** Reads the databases of the events, those with the largest downloads first. */
export async function readDatabases(connection: DuckDBConnection) {
  return queryRows(connection, `${path}#databases`, databaseShape);
}
export type DatabaseUse = Awaited<ReturnType<typeof readDatabases>>[number];

const actorShape = {
  actor: text,
  events: count,
  refused: count,
  bytes: nullable(count),
  firstMs: count,
  lastMs: count,
};

/** Reads who made the events, the busiest first. */
export async function readActors(connection: DuckDBConnection) {
  return queryRows(connection, `${path}#people`, actorShape);
}
export type ActorUse = Awaited<ReturnType<typeof readActors>>[number];

const nameShape = { eventName: text, events: count, refused: count, firstMs: count, lastMs: count };

/** Reads what the events are called, the most frequent first. */
export async function readNames(connection: DuckDBConnection) {
  return queryRows(connection, `${path}#names`, nameShape);
}
export type NameUse = Awaited<ReturnType<typeof readNames>>[number];

/** Reads how many events everyone had in each quarter of an hour. */
export async function readEveryone(connection: DuckDBConnection, range: Range) {
  const shape = { slotMs: count, events: count };
  return queryRows(connection, "queries/pages/subject/others.sql#days", shape, bindRange(range));
}
