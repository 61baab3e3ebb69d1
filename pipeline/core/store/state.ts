import type { DuckDBConnection } from "@duckdb/node-api";
import { fingerprints } from "../../../schemas/generated/fingerprints.ts";
import { messageOf } from "../../base/errors.ts";
import { queryFile } from "../../base/sql/statements.ts";
import { catalogVersionOf, type Seed } from "./catalog.ts";
import type { HeldZone } from "./timezones.ts";

/** What a database was filled by, and what runs before may have left: the values of each fact, in their order. */
export type State = ReadonlyMap<string, readonly string[]>;

/** What a writer's database holds besides its rows. */
export type Found = {
  /** Whether a run is said to be at work still. */
  readonly hasKilledRun: boolean;
  readonly hasPrunes: boolean;
  /** The zones whose offsets it has, the default first. */
  readonly zones: readonly HeldZone[];
};

/** The state of a database; undefined where a table or column is not there yet. */
export async function stateOf(connection: DuckDBConnection): Promise<State | undefined> {
  try {
    const rows = await queryFile(connection, "queries/store/filled.sql#state");
    const groups = Map.groupBy(rows, ({ fact }) => String(fact));
    return new Map(
      [...groups].map(([fact, all]) => [fact, all.map(({ value }) => String(value))] as const),
    );
  } catch (error) {
    if (/^(Catalog|Binder) Error/.test(messageOf(error))) return undefined;
    throw error;
  }
}

/** Whether a database has just these schema changes, and was filled by this program with this catalog. */
export function isUpToDate(state: State, migrations: readonly string[], seed: Seed): boolean {
  const wanted: Readonly<Record<string, readonly string[]>> = {
    migrations,
    matching: [fingerprints.matching],
    views: [fingerprints.views],
    folding: [fingerprints.folding],
    catalog: [catalogVersionOf(seed)],
    extra: seed.extra === null ? [] : [seed.extra],
    rematch_due: ["0"],
  };
  return Object.entries(wanted).every(([fact, values]) => {
    const held = state.get(fact) ?? [];
    return held.length === values.length && values.every((value, i) => value === held[i]);
  });
}

/** What a state says of runs before, and of zones. */
export function foundIn(state: State): Found {
  const isAny = (fact: string): boolean => state.get(fact)?.[0] !== "0";
  const zones = (state.get("zones") ?? []).map((text) => {
    const [, timezone = "", rules = ""] = text.split(" ");
    return { timezone, rules };
  });
  return { hasKilledRun: isAny("killed_runs"), hasPrunes: isAny("prunes"), zones };
}
