import type { DuckDBConnection } from "@duckdb/node-api";
import {
  connectorSettings,
  type Activation,
  type ActivationMapping,
  type DeltaStatus,
} from "../../../schemas/activation.ts";
import { target as targetSchema } from "../../../schemas/connectors.ts";
import type { SettledTarget } from "../../deliver/connector.ts";
import { DeliveryError } from "../../deliver/error.ts";
import { mapOutputs } from "../../deliver/outputs.ts";
import { runStatement } from "../../report/run.ts";
import type { Settings } from "../../settings.ts";
import { rowsOfStatus, type DeltaCounts } from "../../warehouse/activation.ts";
import type { World } from "../../world.ts";
import { anchored, deliverTo, targetCredentials, type DeliveryOrder } from "../delivery.ts";

/** The connector as it is configured for the rows of one class. */
export type ClassTarget = { readonly status: DeltaStatus; readonly target: SettledTarget };

// What is gone goes first, so that an id which comes back under another key is not taken away afterwards.
const order: readonly DeltaStatus[] = ["deleted", "updated", "new", "unchanged"];

/** The name of an activation's target, which is in no configuration. */
export function targetOf(activation: string): string {
  return `activation-${activation}`;
}

/**
 * The connector for each mapped class, in the order in which they are delivered; throws UsageError where one of its
 * credentials is missing (seed 002, C, rule 7).
 */
export function classTargets(
  name: string,
  activation: Activation,
  settings: Settings,
  world: World,
): ClassTarget[] {
  const of = (mapping: ActivationMapping): ClassTarget => {
    const settled = targetSchema.parse(connectorSettings(activation, mapping));
    const target = anchored({ ...settled, name: targetOf(name) }, settings.configFolder);
    targetCredentials(target, settings, world);
    return { status: mapping.delta_status, target };
  };
  return activation.activation_mappings
    .map(of)
    .toSorted((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
}

/** What came of the classes so far; also of one that failed on the way. */
export type DeliveryTally = { accepted: number; refused: number; doubtful: number };

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

/** Delivers the rows of the mapped classes, one class after the other, and counts; throws what a connector throws. */
export async function deliverClasses(
  targets: readonly ClassTarget[],
  counts: DeltaCounts,
  context: ClassContext,
  tally: DeliveryTally,
): Promise<void> {
  for (const each of targets.filter(({ status }) => counts[status] > 0)) {
    const delivery = await deliverClass(each, context).catch((error: unknown) => {
      if (error instanceof DeliveryError) add(tally, error.progress);
      throw error;
    });
    add(tally, delivery);
    for (const note of delivery.notes) context.order.say(`${each.status}: ${note}`);
  }
}

type Counted = Partial<DeliveryTally> & { readonly accepted: number };

function add(tally: DeliveryTally, { accepted, refused = 0, doubtful = 0 }: Counted): void {
  tally.accepted += accepted;
  tally.refused += refused;
  tally.doubtful += doubtful;
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
