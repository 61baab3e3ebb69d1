import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import type { DuckDBConnection } from "@duckdb/node-api";
import { readAsset } from "../../base/home/assets.ts";
import type { Home } from "../../base/home/layout.ts";
import { syncFolder } from "../../base/home/durable.ts";
import { AuditlakeError } from "../../base/errors.ts";
import { runStatement } from "../../base/sql/select.ts";
import type { Rows } from "../../base/rows/row.ts";
import type { Settings } from "../../base/home/settings.ts";
import {
  readMemory,
  getActivationFile,
  getActivationsFolder,
  readHighestNumber,
} from "../../core/store/activation/memory.ts";
import { endDelivery } from "../../core/store/activation/runs.ts";
import { queryFile, runFile } from "../../base/sql/statements.ts";
import { runInTransaction } from "../../base/sql/transaction.ts";
import type { World } from "../../base/world.ts";
import { refuseSharedRecords, nameTarget, withTarget } from "../deliveries/target.ts";
import { toTimestamp } from "../../base/time/text.ts";
import { removeKept } from "../deliveries/delivery.ts";
import { compareNow } from "./compare.ts";
import { forgetRows } from "./deliver.ts";
import { keepPlaces } from "./classes.ts";
import type { PreparedActivation } from "./started.ts";

/** What an activation remembers of itself, as texts. */
export type StateFacts = Readonly<Record<(typeof stateColumns)[number], string>>;

export const stateColumns = [
  "remembered",
  "under_way",
  "last_run",
  "last_outcome",
  "refused",
  "uncertain",
  "given_up",
] as const;

/** What an activation remembers of itself. */
export async function readStateFacts(connection: DuckDBConnection): Promise<StateFacts> {
  const memory = await readMemory(connection);
  if (!memory.hasRows) return noFacts;
  const [row = {}] = await queryFile(connection, "queries/activation/memory.sql#state");
  const facts = stateColumns.map((name) => [name, String(row[name] ?? "")]);
  return Object.fromEntries(facts) as StateFacts;
}

/** Whether an activation has a memory that can be read; before its first run it has none. */
export function hasMemory(home: Home, name: string): boolean {
  return existsSync(getActivationFile(home, name));
}

/** What an activation remembers that never ran. */
export const noFacts = Object.fromEntries(stateColumns.map((name) => [name, ""])) as StateFacts;

/** Lists the state of each row of an activation; throws AuditlakeError if it never delivered anything. */
export async function listRowStates(
  name: string,
  connection: DuckDBConnection,
  world: World,
): Promise<Rows> {
  if (!(await readMemory(connection)).hasRows)
    throw new AuditlakeError(`activation ${name} has delivered nothing yet`);
  const sql = readAsset("queries/activation/row_states.sql").trim().replace(/;$/, "");
  return runStatement(connection, { sql, values: {} }, world.signal);
}

/** Forgets all that an activation remembers: its next run finds everything new. */
export async function resetActivation(
  name: string,
  settings: Settings,
  world: World,
): Promise<boolean> {
  const { home } = settings;
  refuseSharedRecords(settings, nameTarget(name));
  return withTarget(home, nameTarget(name), `activate reset ${name}`, world, async (outbox) => {
    const file = getActivationFile(home, name);
    const wasThere = hasMemory(home, name);
    for (const path of [`${file}.wal`, file]) await rm(path, { force: true });
    if (wasThere) await syncFolder(getActivationsFolder(home));
    await removeKept(outbox);
    return wasThere;
  });
}

/**
 * Records the rows of the source as the state of the destination without delivering; discards undelivered rows and a
 * delivery in progress. Resolves to the number of rows.
 */
export async function resyncActivation(started: PreparedActivation): Promise<number> {
  const { connection, settings, name, world } = started;
  const rows = await runInTransaction(connection, async () => {
    await runFile(connection, "queries/activation/delivery.sql#reset_refused");
    const before = await readMemory(connection);
    const found = await compareNow(started, before);
    const { keys, idType, allNewBecause } = found;
    const none = { dueMs: undefined, beganAtMs: world.now(), mapped: [] };
    const number = Math.max(before.lastNumber, readHighestNumber(settings.home, name));
    const delivery = { number, keys, idType, allNewBecause, ...none };
    await endDelivery(connection, delivery, name, toTimestamp(world.now()));
    await keepPlaces(connection, started.targets);
    return found.rows;
  });
  await forgetRows(started);
  return rows;
}
