import { existsSync } from "node:fs";
import { getMessage } from "../../base/errors.ts";
import { tryLock } from "../../base/home/lock.ts";
import type { Settings } from "../../base/home/settings.ts";
import { notify, warning } from "../../base/notice/notice.ts";
import { printer } from "../../base/notice/printer.ts";
import type { World } from "../../base/world.ts";
import { bringAllRuns } from "../store/activation/runs.ts";
import { bringDeliveryRuns, countRecordedBytes } from "../store/delivery-runs.ts";
import { foldDue } from "../store/derived.ts";
import { describeClosingFault } from "../store/fault.ts";
import { loadLimits } from "../store/limits.ts";
import type { Database } from "../store/open.ts";
import {
  type Change,
  type Contents,
  readContents,
  isPublished,
  publish,
  securePublished,
} from "../store/publish.ts";
import { runFile } from "../../base/sql/statements.ts";
import { advanceHead } from "../evidence/head.ts";
import { fillTimezones } from "../store/migrate.ts";
import { backUpWal } from "../store/wal.ts";
import type { Writer } from "../writer/open.ts";
import { afterRows, beforeRows } from "./after-rows.ts";
import { openOwn } from "./open-own.ts";

/** What ends a run: how the rows changed, and whether steps follow once they are published. */
export type Ending = { readonly change: Change; readonly hasSteps: boolean };

type Connection = Database["connection"];

/**
 * Closes the warehouse and publishes it: first the rows, then, where steps follow from them and change something, what
 * those add. A kill between the two leaves the rows published and the steps for the next run.
 */
export async function closeAndPublish(
  settings: Settings,
  writer: Writer,
  world: World,
  { change, hasSteps }: Ending,
): Promise<void> {
  const { home } = settings;
  let broughtBytes = countRecordedBytes(home);
  const isDue = await publishClosed(settings, writer, world, change, async (connection) =>
    hasSteps ? beforeRows(connection, settings, world) : false,
  );
  if (isDue) {
    broughtBytes = countRecordedBytes(home);
    // No step removes a row of the log.
    await publishClosed(settings, await openOwn(settings, world), world, "grown", (connection) =>
      afterRows(connection, settings, world),
    );
  }
  // A delivery that ended meanwhile could not take the lock; the holder of the lock stores its record.
  if (countRecordedBytes(home) > broughtBytes)
    await closeAndPublish(settings, await openOwn(settings, world), world, {
      change,
      hasSteps: false,
    });
}

async function publishClosed<T>(
  settings: Settings,
  { database, zones }: Writer,
  world: World,
  change: Change,
  finish: (connection: Connection) => Promise<T>,
): Promise<T> {
  const { home } = settings;
  const { timezone, timezones } = settings.config;
  const { contents, result } = await closed(database, world, async (connection) => {
    await bringDelivered(home, connection, world);
    // A report that is read from the published file names the head that covers it.
    const note = (await advanceHead(settings, world)) ?? null;
    await runFile(connection, "queries/publish/evidence_head.sql#store", { note });
    await fillTimezones(connection, [timezone, ...timezones], zones);
    return finish(connection);
  });
  if (existsSync(`${home.warehouse}.wal`))
    backUpWal(
      home.warehouse,
      { nowMs: world.now(), print: printer(world) },
      "contained nothing that the database could use",
    );
  if (!(await isPublished(home, change === "rewritten"))) {
    tryLock(home.lock)?.check();
    await publish(home, { change }, contents, loadLimits(settings.config), printer(world));
  } else await securePublished(home);
  return result;
}

// What went out while this run had the lock; a record that cannot be read is no reason to go without what was loaded.
async function bringDelivered(
  home: Settings["home"],
  connection: Connection,
  world: World,
): Promise<void> {
  try {
    await bringDeliveryRuns(home, connection);
    await bringAllRuns(home, connection);
  } catch (error) {
    notify(world, warning("deliveries_unpublished", { why: getMessage(error) }));
  }
}

async function closed<T>(
  database: Database,
  { signal }: World,
  finish: (connection: Connection) => Promise<T>,
): Promise<{ readonly contents: Contents; readonly result: T }> {
  const { connection } = database;
  try {
    await foldDue(connection, signal);
    const result = await finish(connection);
    await connection.run("checkpoint");
    return { contents: await readContents(connection), result };
  } catch (error) {
    throw describeClosingFault(error);
  } finally {
    await database[Symbol.asyncDispose]();
  }
}
