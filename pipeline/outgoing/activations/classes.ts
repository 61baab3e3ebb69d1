import { warning } from "../../base/notice/notice.ts";
import type { DuckDBConnection } from "@duckdb/node-api";
import {
  readConnectorSettings,
  deltaStatuses,
  type Activation,
  type ActivationMapping,
  type DeltaStatus,
} from "../../../schemas/activation.ts";
import { target as targetSchema } from "../../../schemas/connectors.ts";
import { UsageError } from "../../base/errors.ts";
import type { Settings } from "../../base/home/settings.ts";
import { runStatement } from "../../base/sql/select.ts";
import { runFile } from "../../base/sql/statements.ts";
import { oneOf, queryRows, text } from "../../base/sql/typed-rows.ts";
import type { World } from "../../base/world.ts";
import type { UndeliveredRow } from "../../core/store/activation/runs.ts";
import { selectRowsOfStatus } from "../../core/store/activation/compare.ts";
import {
  listFiles,
  nameOfPlace,
  placeText,
  sendKept,
  type KeptDelivery,
} from "../deliveries/delivery.ts";
import { keepRows } from "../deliveries/stored-rows.ts";
import {
  anchorTarget,
  getOutbox,
  readTargetCredentials,
  nameTarget,
} from "../deliveries/target.ts";
import { getDestination } from "../registry.ts";
import { DeliveryError } from "../targets/error.ts";
import { countStates, openLedger, type Ledger } from "../targets/ledger.ts";
import { mapOutputs } from "../targets/outputs.ts";
import type { ClassTarget, PreparedActivation } from "./started.ts";

// Deleted rows go out first, so that an id that comes back under another key is not deleted afterwards.
const order: readonly DeltaStatus[] = ["deleted", "updated", "new", "unchanged"];

/**
 * The connector for each mapped class, in the order in which they are delivered. Throws UsageError where one of its
 * credentials is missing (seed 002, C, rule 7). It does so, too, where two classes replace one place, or one would leave
 * rows of two runs in it.
 */
export function listClassTargets(
  name: string,
  activation: Activation,
  settings: Settings,
  world: World,
): ClassTarget[] {
  const toClassTarget = (mapping: ActivationMapping): ClassTarget => {
    const connector = targetSchema.parse(readConnectorSettings(activation, mapping));
    const target = anchorTarget({ ...connector, name: nameTarget(name) }, settings.configFolder);
    const fault = getDestination(target).unfitForClass?.(target);
    if (fault !== undefined)
      throw new UsageError(`activation ${name}: the class ${mapping.delta_status}: ${fault}`);
    readTargetCredentials(target, settings, world);
    return { status: mapping.delta_status, target };
  };
  const classes = activation.activation_mappings
    .map(toClassTarget)
    .toSorted((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
  refuseSharedPlaces(name, classes);
  return classes;
}

// The second class would delete the rows of the first, and both would count as delivered.
function refuseSharedPlaces(name: string, classes: readonly ClassTarget[]): void {
  const places = classes.map(({ status, target }) => {
    const { replaces, describe } = getDestination(target);
    const replaced = replaces?.(target);
    return { status, place: replaced ?? describe(target), isReplaced: replaced !== undefined };
  });
  for (const [at, { status, place, isReplaced }] of places.entries()) {
    const same = places.slice(0, at).filter((other) => other.place === place);
    if (!same.some((other) => isReplaced || other.isReplaced)) continue;
    throw new UsageError(
      `activation ${name}: the classes ${same[0]!.status} and ${status} both go to ${place}, which each delivery replaces; give each class a different place in its connector_field`,
    );
  }
}

/** Whether a class without rows is delivered all the same. */
export function sendsEmpty({ target }: ClassTarget): boolean {
  return getDestination(target).goesOutEmpty?.(target) === true;
}

/** How many rows of all classes arrived or not so far, also of a class that failed halfway. */
export type DeliveryTally = { accepted: number; refused: number; uncertain: number };

/** The delivery of a class. With its number, the class names what goes out, also when a later run resumes it. */
export function getKeptClass(
  status: DeltaStatus,
  rows: number,
  { name, settings }: Pick<PreparedActivation, "name" | "settings">,
  number: number,
): KeptDelivery {
  const deliveryId = `${name}-${number}-${status}`;
  const files = listFiles(getOutbox(settings.home, nameTarget(name)), deliveryId);
  // The delivery may have broken off behind this class.
  return { deliveryId, files, rows, isEnded: rows > 0 };
}

/** Stores the mapped rows of a class for their delivery: from then on nothing changes them. */
export async function keepClass(
  { status, target }: ClassTarget,
  nowMs: number,
  started: PreparedActivation,
  number: number,
): Promise<void> {
  const { connection, name, activation, source, world, order: how } = started;
  const statement = await selectRowsOfStatus(connection, status);
  const rows = await runStatement(connection, statement, world.signal);
  const facts = { nowMs, id: name, title: source.title, timezone: how.timezone };
  const mapped = mapOutputs(rows, activation.outputs ?? target.outputs, facts);
  await keepRows(mapped, getKeptClass(status, 0, started, number).files.rows);
}

/** Outcome of a class: rows that were not delivered, and whether the others reached all recipients. */
export type ClassEnd = { readonly missed: readonly UndeliveredRow[]; readonly isWhole: boolean };

/** Delivers the pending rows of a class and counts them. Throws what a connector throws. */
export async function deliverClass(
  { status, target }: ClassTarget,
  kept: KeptDelivery,
  { order: how, settings, world }: PreparedActivation,
  tally: DeliveryTally,
): Promise<ClassEnd> {
  const { rows } = kept;
  const sending = sendKept(kept, target, { ...how, leavesOut: true }, settings, world);
  const { delivery, ledger } = await sending.catch((error: unknown) => {
    if (error instanceof DeliveryError) add(tally, error.progress);
    throw error;
  });
  add(tally, delivery ?? countStates(ledger, rows));
  for (const note of delivery?.notes ?? []) how.print(`${status}: ${note}`);
  const isWhole = delivery === undefined || delivery.outcome === "delivered";
  return { missed: listMissed(status, rows, ledger), isWhole };
}

/** Counts the rows of a class whose mapping was removed since the delivery started, and warns of remaining rows. */
export async function leaveClass(
  status: DeltaStatus,
  { files, rows }: KeptDelivery,
  { order: how }: Pick<PreparedActivation, "order">,
  tally: DeliveryTally,
): Promise<ClassEnd> {
  await using ledger = await openLedger(files.ledger);
  const counts = countStates(ledger, rows);
  add(tally, counts);
  if (counts.open > 0) how.print(warning("class_unmapped", { status, rows: counts.open }));
  return { missed: listMissed(status, rows, ledger), isWhole: true };
}

function add(
  tally: DeliveryTally,
  { accepted, refused = 0, uncertain = 0 }: Partial<DeliveryTally> & { readonly accepted: number },
): void {
  tally.accepted += accepted;
  tally.refused += refused;
  tally.uncertain += uncertain;
}

function listMissed(status: DeltaStatus, rows: number, ledger: Ledger): UndeliveredRow[] {
  const numbers = Array.from({ length: rows }, (_, at) => at + 1);
  return (["refused", "uncertain", "open"] as const).map((state) => ({
    status,
    state,
    rows: numbers
      .filter((row) => ledger.getState(row) === state)
      .map((row) => ({ row, why: ledger.getReason(row) ?? "" })),
  }));
}

/** Remembers where the rows of each class went. */
export async function keepPlaces(
  connection: DuckDBConnection,
  targets: readonly ClassTarget[],
): Promise<void> {
  for (const { status, target } of targets)
    await runFile(connection, "queries/activation/memory.sql#keep_place", {
      delta_status: status,
      place: placeText(target),
    });
}

const placeShape = { deltaStatus: oneOf(deltaStatuses), place: text };

/**
 * Warns of each class with another place than in the last run. The recorded state describes the previous place, and
 * nothing is moved to the new one.
 */
export async function warnOfPlaces({
  connection,
  name,
  targets,
  order: how,
}: PreparedActivation): Promise<void> {
  const rows = await queryRows(connection, "queries/activation/memory.sql#places", placeShape);
  const before = new Map(rows.map(({ deltaStatus, place }) => [deltaStatus, place]));
  for (const { status, target } of targets) {
    const [then, now] = [before.get(status), placeText(target)];
    if (then === undefined || then === now) continue;
    const [previous, present] = [then, now].map(nameOfPlace);
    const places =
      previous === present ? `another part of ${present}` : `${present} instead of ${previous}`;
    how.print(warning("class_moved", { status, activation: name, places }));
  }
}
