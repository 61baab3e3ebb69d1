import type { DuckDBConnection } from "@duckdb/node-api";
import type { ConfigFile } from "../../../schemas/config.ts";
import { awaitBoth } from "../../base/sql/transaction.ts";
import { getSourceSettings } from "../../base/home/settings.ts";
import type { Facts } from "../../base/sql/facts.ts";
import {
  askSource,
  listGaps,
  knowWindows,
  type SourceReads,
  readSilence,
  countStoredEvents,
} from "./reading.ts";

export type SourceFacts = SourceReads & {
  readonly totals: Facts;
  readonly windows: readonly Facts[];
  readonly lateness: readonly Facts[];
  /** Windows without rows that they had before. */
  readonly vanished: readonly Facts[];
  readonly quarantine: readonly Facts[];
};

export type LedgerFacts = {
  /** The last runs of all requested sources, newest first. */
  readonly runs: readonly Facts[];
  readonly sources: readonly SourceFacts[];
};

/**
 * Runs the queries of `queries/status/` for one source or all. A connection runs one statement at a time; `beside`, a
 * second connection, plans two at once, because planning takes most of the time.
 */
export async function readLedger(
  connection: DuckDBConnection,
  source: string | undefined,
  config: ConfigFile,
  nowMs: number,
  beside?: DuckDBConnection,
): Promise<LedgerFacts> {
  const known = (await askSource(connection, "names", undefined)).map((fact) =>
    String(fact["source"]),
  );
  const names = known.filter((name) => source === undefined || name === source);
  const [windows, reads] = await runBoth(
    beside !== undefined,
    () => readWindowFacts(connection, source, known, names),
    () => runFacts(beside ?? connection, source, names, config, nowMs),
  );
  const sources = names.map((name): SourceFacts => {
    const own = selectByName(name);
    const { gaps, backfills, lateness } = reads.of.get(name)!;
    const { unfinalized, silence, vanished } = windows.of.get(name)!;
    return {
      source: name,
      gaps,
      backfills,
      unfinalized,
      silence,
      totals: addTotals(own(windows.totals)[0]!, windows.stored.get(name)),
      windows: own(windows.states),
      lateness,
      vanished,
      quarantine: own(reads.quarantine),
    };
  });
  return { runs: reads.runs, sources };
}

type WindowFacts = Pick<SourceFacts, "silence" | "unfinalized" | "vanished">;
type RunFacts = Pick<SourceFacts, "gaps" | "backfills" | "lateness">;

// The facts that follow from the present state of the windows.
async function readWindowFacts(
  connection: DuckDBConnection,
  source: string | undefined,
  known: readonly string[],
  names: readonly string[],
) {
  await knowWindows(connection, source);
  const totals = await askSource(connection, "sources", source);
  const states = await askSource(connection, "windows", source);
  const stored = await countStoredEvents(connection, known);
  const of = new Map<string, WindowFacts>();
  for (const name of names)
    of.set(name, {
      silence: await readSilence(connection, name),
      unfinalized: await askSource(connection, "unfinalized", name),
      vanished: await askSource(connection, "vanished", name),
    });
  return { totals, states, stored, of };
}

// The facts that follow from the runs and their reads.
async function runFacts(
  connection: DuckDBConnection,
  source: string | undefined,
  names: readonly string[],
  config: ConfigFile,
  nowMs: number,
) {
  const runs = await askSource(connection, "runs", source);
  const quarantine = await askSource(connection, "quarantine", source);
  const of = new Map<string, RunFacts>();
  for (const name of names)
    of.set(name, {
      gaps: await listGaps(connection, name, getSourceSettings(name, config), nowMs),
      backfills: await askSource(connection, "backfills", name),
      lateness: await askSource(connection, "lateness", name),
    });
  return { runs, quarantine, of };
}

// Where nothing was read yet there is still a number.
function addTotals(totals: Facts, stored: Facts | undefined): Facts {
  return { events: 0, first_event: null, last_event: null, ...stored, ...totals };
}

async function runBoth<A, B>(
  isAtOnce: boolean,
  one: () => Promise<A>,
  other: () => Promise<B>,
): Promise<[A, B]> {
  return isAtOnce ? awaitBoth(one, other) : [await one(), await other()];
}

function selectByName(name: string): (facts: readonly Facts[]) => Facts[] {
  return (facts) => facts.filter((fact) => fact["source"] === name).map(withoutSource);
}

function withoutSource(facts: Facts): Facts {
  return Object.fromEntries(Object.entries(facts).filter(([name]) => name !== "source"));
}
