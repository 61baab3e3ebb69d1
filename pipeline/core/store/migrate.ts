import { readdirSync } from "node:fs";
import { type DuckDBConnection, listValue } from "@duckdb/node-api";
import { fingerprints } from "../../../schemas/generated/fingerprints.ts";
import { viewFiles } from "../../../schemas/views.ts";
import { AuditlakeError, getMessage } from "../../base/errors.ts";
import { getAssetPath, readAsset } from "../../base/home/assets.ts";
import { queryFile, runFile, runFiles } from "../../base/sql/statements.ts";
import { runInTransaction } from "../../base/sql/transaction.ts";
import { listIntervals, zoneRules } from "../../base/time/wall.ts";
import { fillCatalog, hashCatalog, rematchEvents, type Seed } from "./catalog.ts";
import { foldWhereStale, noteFolded, type Steps } from "./derived.ts";
import { OldStoreError } from "./fault.ts";

const storeFile = "000_store.sql";

/** A database as this program fills it. */
export type MigrationResult = FoundState & { readonly catalogVersion: string };

/**
 * Migrates a database to the newest schema, and fills the catalog tables if the catalog changed. It recreates the views
 * if they or the schema changed, and matches the events again that a changed catalog concerns. It refreshes the derived
 * tables if that or other rules require it. Returns the resulting state. `seed` is called once the tables exist. Schema
 * changes run on their own and are checkpointed at once.
 */
export async function migrate(
  connection: DuckDBConnection,
  seed: () => Promise<Seed>,
  steps: Steps = { print: () => undefined, signal: new AbortController().signal },
): Promise<MigrationResult> {
  // As a rule a database was filled by just this program; then one question is enough.
  const state = await readState(connection);
  const all = listKnownMigrations();
  if (state !== undefined) {
    const given = await seed();
    if (isUpToDate(state, all, given))
      return { catalogVersion: hashCatalog(given), ...summarizeState(state) };
  }
  const catalogVersion = await bringUpToDate(connection, all, seed, steps);
  return { catalogVersion, ...summarizeState((await readState(connection))!) };
}

async function bringUpToDate(
  connection: DuckDBConnection,
  all: readonly string[],
  seed: () => Promise<Seed>,
  steps: Steps,
): Promise<string> {
  await connection.run("create table if not exists schema_migrations (migration varchar not null)");
  const done = new Set(await listMigrations(connection));
  if (done.size > 0 && !done.has(storeFile)) throw new OldStoreError();
  const unknown = [...done].filter((name) => !all.includes(name));
  if (unknown.length > 0)
    throw new AuditlakeError(
      `the database has schema ${unknown[0]}, newer than this auditlake; install the newer version`,
    );
  const due = all.filter((name) => !done.has(name));
  // A new database is made at once; what others hold is changed step by step.
  for (const files of done.size === 0 ? [due] : due.map((file) => [file]))
    await runInTransaction(connection, () => applyMigrations(connection, files));
  const version = await fillCatalog(connection, await seed());
  await makeViews(connection, due.length > 0);
  await rematchEvents(connection, steps);
  await (done.size === 0 ? noteFolded(connection) : foldWhereStale(connection, steps));
  await connection.run("checkpoint");
  return version;
}

/** The schema changes that this program knows, in their order. */
export function listKnownMigrations(): string[] {
  return readdirSync(getAssetPath("schemas/tables")).sort();
}

/** The schema changes that a database has seen, in their order. */
export async function listMigrations(connection: DuckDBConnection): Promise<string[]> {
  return (await readColumn(connection, "select migration from schema_migrations")).sort();
}

async function applyMigrations(
  connection: DuckDBConnection,
  files: readonly string[],
): Promise<void> {
  for (const file of files) await connection.run(readAsset(`schemas/tables/${file}`));
  const names = listValue([...files]);
  await connection.run("insert into schema_migrations select unnest($names)", { names });
}

async function makeViews(connection: DuckDBConnection, isChanged: boolean): Promise<void> {
  const version = fingerprints.views;
  const [made] = await readColumn(connection, "select view_version from view_versions");
  if (made === version && !isChanged) return;
  await runInTransaction(connection, async () => {
    await runFiles(connection, viewFiles);
    await connection.run("delete from view_versions");
    await connection.run("insert into view_versions values ($version)", { version });
  });
}

async function readColumn(connection: DuckDBConnection, sql: string): Promise<string[]> {
  const reader = await connection.runAndReadAll(sql);
  return reader.getColumns()[0]?.map(String) ?? [];
}

/** What a database was filled by, and what runs before may have left: the values of each fact, in their order. */
type State = ReadonlyMap<string, readonly string[]>;

/** What a writer's database holds besides its rows. */
type FoundState = {
  /** Whether a run is recorded as running. */
  readonly hasKilledRun: boolean;
  readonly hasPrunes: boolean;
  /** The zones whose offsets it has, the default first. */
  readonly zones: readonly StoredZone[];
};

/** The state of a database; undefined where a table or column is not there yet. */
async function readState(connection: DuckDBConnection): Promise<State | undefined> {
  try {
    const rows = await queryFile(connection, "queries/store/filled.sql#state");
    const groups = Map.groupBy(rows, ({ fact }) => String(fact));
    return new Map(
      [...groups].map(([fact, all]) => [fact, all.map(({ value }) => String(value))] as const),
    );
  } catch (error) {
    if (/^(Catalog|Binder) Error/.test(getMessage(error))) return undefined;
    throw error;
  }
}

/** Whether a database has just these schema changes, and was filled by this program with this catalog. */
function isUpToDate(state: State, migrations: readonly string[], seed: Seed): boolean {
  const wanted: Readonly<Record<string, readonly string[]>> = {
    migrations,
    matching: [fingerprints.matching],
    views: [fingerprints.views],
    folding: [fingerprints.folding],
    catalog: [hashCatalog(seed)],
    extra: seed.extra === null ? [] : [seed.extra],
    rematch_due: ["0"],
  };
  return Object.entries(wanted).every(([fact, values]) => {
    const held = state.get(fact) ?? [];
    return held.length === values.length && values.every((value, i) => value === held[i]);
  });
}

/** Summarizes the facts of a state about earlier runs and zones. */
function summarizeState(state: State): FoundState {
  const isAny = (fact: string): boolean => state.get(fact)?.[0] !== "0";
  const zones = (state.get("zones") ?? []).map((text) => {
    const [, timezone = "", rules = ""] = text.split(" ");
    return { timezone, rules };
  });
  return { hasKilledRun: isAny("killed_runs"), hasPrunes: isAny("prunes"), zones };
}

/** A zone whose offsets a database holds, and the rules that they were made by. */
type StoredZone = { readonly timezone: string; readonly rules: string };

/**
 * Has the database hold the offsets of these zones, the first of them as the default. Does nothing where it does
 * already, by the same rules.
 */
export async function fillTimezones(
  connection: DuckDBConnection,
  zones: readonly [string, ...string[]],
  held: readonly StoredZone[],
): Promise<void> {
  const [first, ...others] = zones;
  const wanted = [first, ...[...new Set(others)].filter((zone) => zone !== first).sort()];
  const isHeld =
    String(held.map(({ timezone }) => timezone)) === String(wanted) &&
    // What has no change of clocks follows no rules.
    (String(wanted) === "UTC" || held.every(({ rules }) => rules === zoneRules));
  if (isHeld) return;
  const intervals = wanted.flatMap((zone) =>
    listIntervals(zone).map(({ fromMs, toMs, offsetMinutes }) => ({
      timezone: zone,
      is_default: zone === first,
      from_ms: fromMs,
      to_ms: toMs,
      minutes: offsetMinutes,
    })),
  );
  const values = { intervals: JSON.stringify(intervals), rules: zoneRules };
  await runInTransaction(connection, () =>
    runFile(connection, "queries/timezones/timezones.sql#fill", values),
  );
}
