import { type DuckDBConnection, listValue } from "@duckdb/node-api";
import type { DeltaStatus } from "../../../../schemas/activation.ts";
import { quotedName } from "../../../../schemas/quoted.ts";
import { textsOf, type DeltaKeys } from "./memory.ts";
import { bothShapes } from "./compare.ts";
import { queryFile, runFile } from "../../../base/sql/statements.ts";

/** A delivery of an activation that is under way. */
export type BegunActivation = {
  readonly number: number;
  readonly beganAtMs: number;
  /** When it was due; undefined where somebody began it by hand. */
  readonly dueMs: number | undefined;
  readonly keys: DeltaKeys;
  readonly idType: string;
  readonly allNewBecause: string | undefined;
  /** The classes that had a mapping when it was begun. */
  readonly mapped: readonly DeltaStatus[];
};

/** The delivery that is under way; undefined where there is none. */
export async function begunOf(connection: DuckDBConnection): Promise<BegunActivation | undefined> {
  const [row] = await queryFile(connection, "queries/activation/begun.sql");
  if (row === undefined) return undefined;
  const [due, why] = [row["due_at"], row["all_new_because"]];
  return {
    number: Number(row["number"]),
    beganAtMs: Date.parse(String(row["began_at"])),
    dueMs: typeof due === "string" ? Date.parse(due) : undefined,
    keys: { idKey: String(row["id_key"]), deltaKeys: textsOf(row["delta_keys"]) },
    idType: String(row["id_type"]),
    allNewBecause: typeof why === "string" ? why : undefined,
    mapped: textsOf(row["mapped"]) as readonly DeltaStatus[],
  };
}

/** Records that a delivery is under way; its rows are those that were compared last. */
export async function recordBegunActivation(
  connection: DuckDBConnection,
  begun: BegunActivation,
): Promise<void> {
  const { number, beganAtMs, dueMs, keys, idType, allNewBecause, mapped } = begun;
  await runFile(connection, "queries/activation/begin.sql", {
    number,
    began_at: new Date(beganAtMs).toISOString(),
    due_at: dueMs === undefined ? null : new Date(dueMs).toISOString(),
    id_key: keys.idKey,
    id_type: idType,
    delta_keys: listValue([...keys.deltaKeys]),
    all_new_because: allNewBecause ?? null,
    mapped: listValue([...mapped]),
  });
}

/** Forgets the delivery that is under way, as though it had never been begun. */
export async function forgetBegunActivation(connection: DuckDBConnection): Promise<void> {
  await runFile(connection, "queries/activation/forget.sql");
}

/** Rows of a class that did not arrive, by their numbers in it. */
export type Missed = {
  readonly status: DeltaStatus;
  readonly state: "refused" | "uncertain" | "open";
  readonly rows: readonly { readonly row: number; readonly why: string }[];
};

const chunk = 1000;

/** Notes rows that did not arrive on the delivery that is under way. */
export async function noteMissed(
  connection: DuckDBConnection,
  { status, state, rows }: Missed,
): Promise<void> {
  for (let at = 0; at < rows.length; at += chunk) {
    const part = rows.slice(at, at + chunk);
    await runFile(connection, "queries/activation/outcomes.sql", {
      rows: listValue(part.map(({ row }) => row)),
      reasons: listValue(part.map(({ why }) => why)),
      state,
      delta_status: status,
    });
  }
}

/** Rows that had not arrived and are tried no more. */
export type Dropped = { readonly gone: number; readonly changed: number };

/**
 * Ends the delivery that is under way. What arrived is what the destination has from now on. Of what did not, it has
 * what it had before. To be called inside a transaction.
 */
export async function endDelivery(
  connection: DuckDBConnection,
  { number, keys, idType, allNewBecause }: BegunActivation,
  delivery: string,
  triedAt: string,
): Promise<Dropped> {
  const [row] = await queryFile(connection, "queries/activation/dropped.sql");
  await runFile(connection, "queries/activation/finish.sql", { delivery, tried_at: triedAt });
  await runFile(connection, "queries/activation/next_rows.sql");
  if (allNewBecause === undefined) await keepFormer(connection);
  await runFile(connection, "queries/activation/remember.sql", {
    number,
    id_key: keys.idKey,
    id_type: idType,
    delta_keys: listValue([...keys.deltaKeys]),
  });
  return { gone: Number(row?.["gone"]), changed: Number(row?.["changed"]) };
}

// A column of another type than before holds what can be read as it.
async function keepFormer(connection: DuckDBConnection): Promise<void> {
  const [now, before] = await bothShapes(connection);
  const kept = now.flatMap(({ name, type }) => {
    const former = before.find((column) => column.name === name);
    const column = quotedName(name);
    if (former === undefined) return [];
    if (former.type === type) return [column];
    return [`try_cast(cast(${column} as varchar) as ${type}) as ${column}`];
  });
  const columns = [...kept, "delta_id", "delta_hash"].join(", ");
  await connection.run(`insert into state.next_rows by name select ${columns} from rows_as_before`);
}

/** A row that did not arrive, as a person may see it. */
export type RefusedRow = {
  readonly id: string;
  readonly status: string;
  readonly state: string;
  readonly reason: string;
};

/** The first rows of a delivery that did not arrive. */
export async function refusedOf(
  connection: DuckDBConnection,
  delivery: string,
): Promise<RefusedRow[]> {
  const rows = await queryFile(connection, "queries/activation/refused.sql", { delivery });
  return rows.map((row) => ({
    id: String(row["delta_id"]),
    status: String(row["delta_status"]),
    state: String(row["state"]),
    reason: String(row["reason"]),
  }));
}

/** Gives up all rows that did not arrive: with this content nobody tries them any more. Returns how many. */
export async function giveUp(connection: DuckDBConnection): Promise<number> {
  return runFile(connection, "queries/activation/give_up.sql");
}
