import type { DuckDBConnection } from "@duckdb/node-api";
import {
  connectorSettings,
  type Activation,
  type ActivationMapping,
  type DeltaStatus,
} from "../../../schemas/activation.ts";
import { target as targetSchema } from "../../../schemas/connectors.ts";
import type { SettledTarget } from "../../deliver/connector.ts";
import { mapOutputs } from "../../deliver/outputs.ts";
import { runStatement } from "../../report/run.ts";
import type { Settings } from "../../settings.ts";
import { rowsOfStatus, type DeltaCounts } from "../../warehouse/activation.ts";
import type { World } from "../../world.ts";
import { anchored, deliverTo, type DeliveryOrder } from "../delivery.ts";

/** The connector as it is configured for the rows of one class. */
export type ClassTarget = { readonly status: DeltaStatus; readonly target: SettledTarget };

// What is gone goes first, so that an id which comes back under another key is not taken away afterwards.
const order: readonly DeltaStatus[] = ["deleted", "updated", "new", "unchanged"];

/** The connector for each mapped class, in the order in which they are delivered. */
export function classTargets(
  name: string,
  activation: Activation,
  settings: Settings,
): ClassTarget[] {
  const of = (mapping: ActivationMapping): ClassTarget => {
    const settled = targetSchema.parse(connectorSettings(activation, mapping));
    const target = anchored({ ...settled, name: `activation-${name}` }, settings.configFolder);
    return { status: mapping.delta_status, target };
  };
  return activation.activation_mappings
    .map(of)
    .toSorted((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
}

export type Delivered = {
  readonly accepted: number;
  readonly refused: number;
};

/** What stays the same for all classes of a run. */
export type ClassContext = {
  readonly connection: DuckDBConnection;
  readonly name: string;
  readonly activation: Activation;
  readonly title: string;
  /** Number of this run: with the class it names the delivery, also when it is repeated. */
  readonly number: number;
  readonly order: Omit<DeliveryOrder, "deliveryId">;
  readonly settings: Settings;
  readonly world: World;
};

/** Delivers the rows of the mapped classes, one class after the other; throws what a connector throws. */
export async function deliverClasses(
  targets: readonly ClassTarget[],
  counts: DeltaCounts,
  context: ClassContext,
): Promise<Delivered> {
  let [accepted, refused] = [0, 0];
  for (const each of targets.filter(({ status }) => counts[status] > 0)) {
    const delivery = await deliverClass(each, context);
    accepted += delivery.accepted;
    refused += delivery.refused;
    for (const note of delivery.notes) context.order.say(`${each.status}: ${note}`);
  }
  return { accepted, refused };
}

async function deliverClass({ status, target }: ClassTarget, context: ClassContext) {
  const { connection, name, activation, title, number, settings, world } = context;
  const statement = { sql: rowsOfStatus(status), values: {} };
  const rows = await runStatement(connection, statement, world.signal);
  const facts = { nowMs: world.now(), id: name, title };
  const mapped = mapOutputs(rows, activation.outputs ?? target.outputs, facts);
  const deliveryId = `${name}-${number}-${status}`;
  return deliverTo(target, mapped, { ...context.order, deliveryId }, settings, world);
}
