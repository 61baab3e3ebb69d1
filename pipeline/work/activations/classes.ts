import type { DuckDBConnection } from "@duckdb/node-api";
import {
  connectorSettings,
  type Activation,
  type ActivationMapping,
  type DeltaStatus,
} from "../../../schemas/activation.ts";
import { target as targetSchema } from "../../../schemas/connectors.ts";
import { destinationOf } from "../registry.ts";
import { DeliveryError } from "../targets/error.ts";
import { UsageError } from "../../base/errors.ts";
import { mapOutputs } from "../targets/outputs.ts";
import { type Ledger, openLedger, countStates } from "../targets/ledger.ts";
import { runStatement } from "../../base/sql/select.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { Missed } from "../../core/store/activation/begun-run.ts";
import { rowsOfStatus } from "../../core/store/activation/compare.ts";
import type { World } from "../../base/world.ts";
import {
  anchored,
  deliverTo,
  outboxOf,
  targetCredentials,
  type DeliveryOrder,
} from "../deliveries/target.ts";
import { targetOf } from "../deliveries/activation-target.ts";
import { keepRows, keptRows } from "../deliveries/kept-rows.ts";
import { isAnythingToDo } from "../deliveries/left.ts";
import { filesOf } from "../deliveries/begun.ts";
import { type ClassTarget, refuseSharedPlaces } from "./class-places.ts";

// Deleted rows go out first, so that an id that comes back under another key is not deleted afterwards.
const order: readonly DeltaStatus[] = ["deleted", "updated", "new", "unchanged"];

/**
 * The connector for each mapped class, in the order in which they are delivered. Throws UsageError where one of its
 * credentials is missing (seed 002, C, rule 7). It does so, too, where two classes replace one place, or one would leave
 * rows of two runs in it.
 */
export function classTargets(
  name: string,
  activation: Activation,
  settings: Settings,
  world: World,
): ClassTarget[] {
  const of = (mapping: ActivationMapping): ClassTarget => {
    const connector = targetSchema.parse(connectorSettings(activation, mapping));
    const target = anchored({ ...connector, name: targetOf(name) }, settings.configFolder);
    const fault = destinationOf(target).unfitForClass?.(target);
    if (fault !== undefined)
      throw new UsageError(`activation ${name}: the class ${mapping.delta_status}: ${fault}`);
    targetCredentials(target, settings, world);
    return { status: mapping.delta_status, target };
  };
  const classes = activation.activation_mappings
    .map(of)
    .toSorted((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
  refuseSharedPlaces(name, classes);
  return classes;
}

/** Whether a class without rows is delivered all the same. */
export function goesOutEmpty({ target }: ClassTarget): boolean {
  return destinationOf(target).goesOutEmpty?.(target) === true;
}

/** How many rows of all classes arrived or not so far, also of a class that failed halfway. */
export type DeliveryTally = { accepted: number; refused: number; uncertain: number };

/** What stays the same for all classes of a run. */
export type ClassContext = {
  readonly connection: DuckDBConnection;
  readonly name: string;
  readonly activation: Activation;
  readonly title: string;
  /** Number of this delivery. With the class it names what goes out, and stays the same when a later run goes on. */
  readonly number: number;
  readonly order: Omit<DeliveryOrder, "deliveryId">;
  readonly settings: Settings;
  readonly world: World;
};

/** Keeps the rows of a class as they are to go out, mapped: from then on nothing changes them. */
export async function keepClass(
  { status, target }: ClassTarget,
  nowMs: number,
  context: ClassContext,
): Promise<void> {
  const { connection, name, activation, title, world } = context;
  const statement = await rowsOfStatus(connection, status);
  const rows = await runStatement(connection, statement, world.signal);
  const { timezone } = context.order;
  const facts = { nowMs, id: name, title, timezone };
  const mapped = mapOutputs(rows, activation.outputs ?? target.outputs, facts);
  await keepRows(mapped, filesOfClass(status, context).rows);
}

/** Name of the delivery of a class. */
function idOf(status: DeltaStatus, { name, number }: ClassContext): string {
  return `${name}-${number}-${status}`;
}

/** The files that are kept of the rows of a class. */
export function filesOfClass(
  status: DeltaStatus,
  context: ClassContext,
): Record<"rows" | "ledger", string> {
  const outbox = outboxOf(context.settings.home, targetOf(context.name));
  return filesOf(outbox, idOf(status, context));
}

/** What became of a class: the rows that did not arrive, and whether those that did arrived with everybody. */
export type ClassEnd = { readonly missed: readonly Missed[]; readonly isWhole: boolean };

/** Delivers what is to go out of a class, and counts it. Throws what a connector throws. */
export async function deliverClass(
  { status, target }: ClassTarget,
  rows: number,
  context: ClassContext,
  tally: DeliveryTally,
): Promise<ClassEnd> {
  const { order, settings, world } = context;
  const files = filesOfClass(status, context);
  const deliveryId = idOf(status, context);
  await using ledger = await openLedger(files.ledger);
  const left = countStates(ledger, rows);
  if (rows > 0 && !isAnythingToDo(left, order)) {
    add(tally, left);
    return { missed: missedOf(status, rows, ledger), isWhole: true };
  }
  const given = { ...order, deliveryId, ledger, total: rows, leavesOut: true };
  const delivery = await deliverTo(
    target,
    await keptRows(files.rows),
    given,
    settings,
    world,
  ).catch((error: unknown) => {
    if (error instanceof DeliveryError) add(tally, error.progress);
    throw error;
  });
  add(tally, delivery);
  for (const note of delivery.notes) order.print(`${status}: ${note}`);
  return { missed: missedOf(status, rows, ledger), isWhole: delivery.outcome === "delivered" };
}

type Counted = Partial<DeliveryTally> & { readonly accepted: number };

/** Adds what became of the rows of a class. */
export function add(tally: DeliveryTally, { accepted, refused = 0, uncertain = 0 }: Counted): void {
  tally.accepted += accepted;
  tally.refused += refused;
  tally.uncertain += uncertain;
}

/** The rows of a class that did not arrive, by what became of them. */
export function missedOf(status: DeltaStatus, rows: number, ledger: Ledger): Missed[] {
  const states = ["refused", "uncertain", "open"] as const;
  const all = states.map((state) => ({ status, state, rows: [] as Missed["rows"][number][] }));
  for (let row = 1; row <= rows; row++) {
    const state = ledger.stateOf(row);
    const missed = all.find((each) => each.state === state);
    missed?.rows.push({ row, why: ledger.whyOf(row) ?? "" });
  }
  return all;
}
