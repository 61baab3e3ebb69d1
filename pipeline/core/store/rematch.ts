import type { DuckDBConnection } from "@duckdb/node-api";
import type { Steps } from "./derived.ts";
import { runFile } from "../../base/sql/statements.ts";
import { count, queryRows, text } from "../../base/sql/typed-rows.ts";
import { inTransaction } from "../../base/sql/transaction.ts";

// Events keep what the catalog said of them when they were loaded. Where it says something else now, the events that it
// concerns are matched again, some days in a transaction. What is left when a run is interrupted, the next one does.

const file = "queries/rematch/rematch.sql";
const maxEvents = 500_000;

/** Notes which names a change of the catalog concerns, around that change, in its transaction. */
export async function noteChange(
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
 * Matches the events again that a changed catalog concerns, about so many in a transaction; what an interrupt leaves is
 * still due afterwards.
 */
export async function rematch(
  connection: DuckDBConnection,
  steps: Steps,
  atOnce = maxEvents,
): Promise<void> {
  if (!(await isDue(connection))) return;
  await runFile(connection, "queries/load/matched.sql");
  const shape = { eventDate: text, events: count };
  const slices = slicesOf(await queryRows(connection, `${file}#days`, shape), atOnce);
  const all = slices.reduce((sum, { events }) => sum + events, 0);
  if (all > 0)
    steps.print(`the catalog has changed: ${all} events that it concerns are matched again`);
  let done = 0;
  for (const { firstDay, lastDay, events } of slices) {
    if (steps.signal.aborted)
      return steps.print(`interrupted: ${all - done} of them are left to the next run that writes`);
    await inTransaction(connection, () =>
      runFile(connection, `${file}#match`, { first_day: firstDay, last_day: lastDay }),
    );
    done += events;
    if (slices.length > 1) steps.print(`${done} of ${all} events matched again`);
  }
  await inTransaction(connection, () => runFile(connection, `${file}#done`));
}

async function isDue(connection: DuckDBConnection): Promise<boolean> {
  const reader = await connection.runAndReadAll("select 1 from rematch_due limit 1");
  return reader.currentRowCount > 0;
}

type Slice = { readonly firstDay: string; readonly lastDay: string; readonly events: number };

type Day = { readonly eventDate: string; readonly events: number };

function slicesOf(days: readonly Day[], atOnce: number): Slice[] {
  const slices: Slice[] = [];
  for (const { eventDate: lastDay, events } of days) {
    const open = slices.at(-1);
    if (open === undefined || open.events + events > atOnce)
      slices.push({ firstDay: lastDay, lastDay, events });
    else slices[slices.length - 1] = { ...open, lastDay, events: open.events + events };
  }
  return slices;
}
