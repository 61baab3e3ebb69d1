import type { DuckDBConnection } from "@duckdb/node-api";
import { fingerprints } from "../../../schemas/generated/fingerprints.ts";
import { computeFingerprint } from "../../../schemas/generators/fingerprints.ts";
import { runFile } from "../../base/sql/statements.ts";
import { count, queryRows, text } from "../../base/sql/typed-rows.ts";
import { runInTransaction } from "../../base/sql/transaction.ts";
import type { Steps } from "./derived.ts";

/** Content of the catalog tables: the statements, and the text of the user's own events among them. */
export type Seed = { readonly sql: string; readonly extra: string | null };

/**
 * Fills the catalog tables where they have another catalog, and notes whose events are to be matched again; returns the
 * catalog's version.
 */
export async function fillCatalog(connection: DuckDBConnection, seed: Seed): Promise<string> {
  const version = hashCatalog(seed);
  const rules = fingerprints.matching;
  const rulesBefore = await readFirst(connection, "select rules_version from catalog_versions");
  const before = await readVersion(connection);
  const isSame = before === version && rulesBefore === rules;
  if (isSame && (await readStoredExtra(connection)) === seed.extra) return version;
  const haveRulesChanged = rulesBefore !== undefined && rulesBefore !== rules;
  const replaceSeed = (): Promise<void> => replaceCatalog(connection, seed, version, rules);
  await runInTransaction(connection, () =>
    // Without an earlier catalog, no events were loaded with it.
    before === undefined ? replaceSeed() : noteChange(connection, haveRulesChanged, replaceSeed),
  );
  return version;
}

async function replaceCatalog(
  connection: DuckDBConnection,
  { sql, extra }: Seed,
  version: string,
  rules: string,
): Promise<void> {
  await connection.run(sql);
  await runFile(connection, "queries/load/lookup.sql");
  await connection.run("delete from catalog_versions");
  const values = { version, rules };
  await connection.run("insert into catalog_versions values ($version, $rules)", values);
  await connection.run("delete from catalog_extra");
  if (extra !== null) await connection.run("insert into catalog_extra values ($extra)", { extra });
}

/** The version of a catalog, by the statements that fill its tables. */
export function hashCatalog({ sql }: Seed): string {
  return computeFingerprint([sql]);
}

/** The version of the catalog that a database was filled with. */
export function readVersion(connection: DuckDBConnection): Promise<string | undefined> {
  return readFirst(connection, "select catalog_version from catalog_versions");
}

/** The text of the user's own events that a database was filled with; null where there were none. */
export async function readStoredExtra(connection: DuckDBConnection): Promise<string | null> {
  return (await readFirst(connection, "select content from catalog_extra")) ?? null;
}

async function readFirst(connection: DuckDBConnection, sql: string): Promise<string | undefined> {
  const reader = await connection.runAndReadAll(sql);
  const value = reader.getColumns()[0]?.[0] ?? null;
  return value === null ? undefined : String(value);
}

// Events keep the catalog values of their load. After a catalog change, the affected events are matched again, some
// days per transaction. The next run resumes after an interrupt.

const file = "queries/rematch/rematch.sql";
const maxEvents = 500_000;

/** Notes which names a change of the catalog concerns, around that change, in its transaction. */
async function noteChange(
  connection: DuckDBConnection,
  haveRulesChanged: boolean,
  change: () => Promise<void>,
): Promise<void> {
  await runFile(connection, "queries/derived/kinds.sql");
  await runFile(connection, `${file}#signatures`);
  await change();
  await runFile(connection, `${file}#note_due`, { is_all: haveRulesChanged });
}

/**
 * Matches the events again that a changed catalog affects, about this many per transaction. After an interrupt, the
 * rest stays pending.
 */
export async function rematchEvents(
  connection: DuckDBConnection,
  steps: Steps,
  atOnce = maxEvents,
): Promise<void> {
  if (!(await isDue(connection))) return;
  await runFile(connection, "queries/load/matched.sql");
  const shape = { eventDate: text, events: count };
  const slices = planSlices(await queryRows(connection, `${file}#days`, shape), atOnce);
  const all = slices.reduce((sum, { events }) => sum + events, 0);
  if (all > 0) steps.print(`the catalog has changed: matching ${all} affected events again`);
  let done = 0;
  for (const { firstDay, lastDay, events } of slices) {
    if (steps.signal.aborted)
      return steps.print(`interrupted: the next writing run matches the remaining ${all - done}`);
    await runInTransaction(connection, () =>
      runFile(connection, `${file}#match`, { first_day: firstDay, last_day: lastDay }),
    );
    done += events;
    if (slices.length > 1) steps.print(`${done} of ${all} events matched again`);
  }
  await runInTransaction(connection, () => runFile(connection, `${file}#done`));
}

async function isDue(connection: DuckDBConnection): Promise<boolean> {
  const reader = await connection.runAndReadAll("select 1 from rematch_due limit 1");
  return reader.currentRowCount > 0;
}

type Slice = { readonly firstDay: string; readonly lastDay: string; readonly events: number };

type Day = { readonly eventDate: string; readonly events: number };

function planSlices(days: readonly Day[], atOnce: number): Slice[] {
  const slices: Slice[] = [];
  for (const { eventDate: lastDay, events } of days) {
    const open = slices.at(-1);
    if (open === undefined || open.events + events > atOnce)
      slices.push({ firstDay: lastDay, lastDay, events });
    else slices[slices.length - 1] = { ...open, lastDay, events: open.events + events };
  }
  return slices;
}
