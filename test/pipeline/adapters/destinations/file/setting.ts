import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { onTestFinished } from "vitest";
import type { Delivery } from "../../../../../pipeline/outgoing/targets/destination.ts";
import { newLedger } from "../../../../../pipeline/outgoing/targets/ledger.ts";
import { deliverToFile } from "../../../../../pipeline/adapters/destinations/file/destination.ts";
import { newTransport, usualTransport } from "../../../../../pipeline/base/http/transport.ts";
import type { Rows } from "../../../../../pipeline/base/rows/row.ts";
import { file } from "../../../../../schemas/connectors/file.ts";
import { temporaryFolder } from "../../../../support/load.ts";
import { testWorld } from "../../../../support/world.ts";

/** A new folder that is removed when the test ends. */
export function newFolder(): string {
  const { path, remove } = temporaryFolder();
  onTestFinished(remove);
  return path;
}

export async function deliver(
  folder: string,
  rows: Rows,
  more: object = {},
  deliveryId = "d1",
): Promise<Delivery> {
  const target = { ...file.parse({ type: "file", folder, ...more }), name: "lake" };
  const world = testWorld();
  await using http = newTransport(usualTransport, world);
  const print = (): void => undefined;
  const credential = (): string => "";
  const common = { http, credential, print, world, outbox: "/nowhere", confirmed: false };
  return await deliverToFile(target, rows, { ...common, deliveryId, ledger: newLedger() });
}

/** All files below a folder, hidden ones too, in order. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true, encoding: "utf8" })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();
}

/** What a query finds in the files, values as text or number. */
export async function query(sql: string): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  await connection.run("set TimeZone = 'UTC'");
  try {
    return (await connection.runAndReadAll(sql)).getRowObjectsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
