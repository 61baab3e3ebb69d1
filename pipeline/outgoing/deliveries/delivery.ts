import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import type { Delivery, NamedTarget } from "../targets/destination.ts";
import { getDestination } from "../registry.ts";
import { DeliveryError, RecordError, formatRowCount } from "../targets/error.ts";
import { computeSha256 } from "../../base/home/durable.ts";
import { UsageError } from "../../base/errors.ts";
import {
  countStates,
  openLedger,
  type RetryOptions,
  type Ledger,
  type RowCounts,
} from "../targets/ledger.ts";
import { readKeptRows } from "./stored-rows.ts";
import { deliverTo, type DeliveryOrder } from "./target.ts";

// A delivery of an export, or of one class of an activation. It starts with its record (`begun-KEY.json` of an export,
// the table `begun` of an activation); its rows are stored, then sent; it ends when its record is removed or marked.
// Sent rows cannot be taken back, so an interrupted delivery resumes with the same rows.

// Files of a delivery: its rows and their states; in earlier versions also the recipients of a message.
const extensions = { rows: ".rows", ledger: ".ledger", journal: ".ndjson" } as const;

export function listFiles(outbox: string, name: string): Record<"rows" | "ledger", string> {
  const path = join(outbox, name);
  return { rows: path + extensions.rows, ledger: path + extensions.ledger };
}

/** Removes the files of unneeded names; files that cannot be removed stay. */
export async function removeKept(
  outbox: string,
  isNeeded: (name: string) => boolean = () => false,
): Promise<void> {
  const names = await readdir(outbox).catch(() => []);
  const unneeded = names.filter((name) => {
    const extension = Object.values(extensions).find((each) => name.endsWith(each));
    return extension !== undefined && !isNeeded(name.slice(0, -extension.length));
  });
  // A leftover file only takes disk space.
  for (const name of unneeded) await rm(join(outbox, name), { force: true }).catch(() => undefined);
}

export type KeptDelivery = {
  /** Names what goes out; a delivery that resumes has the same. */
  readonly deliveryId: string;
  readonly files: ReturnType<typeof listFiles>;
  readonly rows: number;
  /** Whether every row was tried: only remaining or requested rows are sent. */
  readonly isEnded: boolean;
};

/** Outcome of a delivery, and the states of its rows; without a `delivery` nothing was to go out. */
export type SentDelivery = { readonly delivery: Delivery | undefined; readonly ledger: Ledger };

/**
 * Sends the pending rows of a delivery. Sends nothing for a delivery that `isEnded` and has no rows to retry. Throws
 * what the connector throws, and UsageError if it was started for another place.
 */
export async function sendKept(
  { deliveryId, files, rows, isEnded }: KeptDelivery,
  target: NamedTarget,
  order: Omit<DeliveryOrder, "deliveryId">,
  settings: Settings,
  world: World,
): Promise<SentDelivery> {
  await using ledger = await openLedger(files.ledger);
  if (isEnded && !isAnythingToDo(countStates(ledger, rows), order))
    return { delivery: undefined, ledger };
  const kept = await readKeptRows(files.rows);
  await keepPlace(target, ledger);
  const sent = deliverTo(target, kept, { ...order, deliveryId, ledger }, settings, world);
  const delivery = await sent.catch((error: unknown) => {
    throw withProgress(error, target.name, rows, ledger);
  });
  return { delivery, ledger };
}

/** A fault of a delivery with how far it came, where its ledger alone knows that since it could not be written. */
export function withProgress(
  fault: unknown,
  target: string,
  total: number,
  { count }: Pick<Ledger, "count">,
): unknown {
  const [accepted, uncertain] = [count("accepted"), count("uncertain")];
  if (!(fault instanceof RecordError) || accepted + uncertain === 0) return fault;
  const missing = total - accepted - uncertain;
  return new DeliveryError({ target, accepted, uncertain, missing }, fault.message);
}

export async function countKept({ files, rows }: KeptDelivery): Promise<RowCounts> {
  await using ledger = await openLedger(files.ledger);
  return countStates(ledger, rows);
}

/** Decides whether anything of a delivery is to go out now. */
export function isAnythingToDo(
  left: RowCounts,
  { retryRefused, resendUncertain }: RetryOptions,
): boolean {
  if (left.open > 0) return true;
  return (
    (retryRefused === true && left.refused > 0) || (resendUncertain === true && left.uncertain > 0)
  );
}

/** Formats the remaining rows: `1 row refused, 2 rows uncertain`. */
export function formatLeft({ open, refused, uncertain }: RowCounts): string {
  const parts: readonly [number, string][] = [
    [open, "not sent"],
    [refused, "refused"],
    [uncertain, "uncertain"],
  ];
  return parts
    .filter(([count]) => count > 0)
    .map(([count, how]) => `${formatRowCount(count)} ${how}`)
    .join(", ");
}

// A started delivery stays at the place that its target named then. Sending the rest elsewhere would split what is
// reported as one.

const placeFact = "place";

/** Decides whether a delivery was started with its target at another place than it names now. */
export function isElsewhere(target: NamedTarget, ledger: Pick<Ledger, "fact">): boolean {
  const [before, now] = [ledger.fact(placeFact), findPlace(target)];
  return before !== undefined && now !== undefined && readDigest(before) !== readDigest(now);
}

/** Throws UsageError where a delivery was started with its target at another place. */
export function refuseElsewhere(target: NamedTarget, ledger: Pick<Ledger, "fact">): void {
  if (!isElsewhere(target, ledger)) return;
  const then = nameOfPlace(ledger.fact(placeFact)!);
  const now = getDestination(target).describe(target);
  throw new UsageError(
    `target ${target.name} now points to ${now}, but the delivery was started to ${then}, which may have received part of it; nothing was sent; restore the target to resume, or start another delivery (export --new, activate reset)`,
  );
}

/** Notes the place on a delivery that starts. */
export async function keepPlace(target: NamedTarget, ledger: Ledger): Promise<void> {
  refuseElsewhere(target, ledger);
  const place = findPlace(target);
  if (place !== undefined && ledger.fact(placeFact) === undefined)
    await ledger.setFact(placeFact, place);
}

function findPlace(target: NamedTarget): string | undefined {
  return getDestination(target).place === undefined ? undefined : placeText(target);
}

/** A text that two targets share if rows come to the same place, and that names it behind a space. */
export function placeText(target: NamedTarget): string {
  const { place, describe } = getDestination(target);
  const name = describe(target);
  // An address can be a secret, so its digest identifies it.
  return `${computeSha256(JSON.stringify(place?.(target) ?? name)).slice(0, 16)} ${name}`;
}

export function nameOfPlace(text: string): string {
  return text.slice(text.indexOf(" ") + 1);
}

function readDigest(place: string): string {
  return place.slice(0, place.indexOf(" "));
}
