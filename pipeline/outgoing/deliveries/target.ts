import { mapTexts } from "../../base/notice/printer.ts";
import { formatCommand } from "../../base/command-line.ts";
import { join, resolve } from "node:path";
import type { RequestOptions } from "../../../schemas/connectors/requests.ts";
import type { Delivery, DeliveryContext, NamedTarget } from "../targets/destination.ts";
import { type RetryOptions, newLedger } from "../targets/ledger.ts";
import { type Credentials, readCredentials } from "./credentials.ts";
import { getDestination } from "../registry.ts";
import { makeSecureFolder } from "../../base/home/durable.ts";
import { UsageError } from "../../base/errors.ts";
import type { Home } from "../../base/home/layout.ts";
import { newTransport, type TransportOptions, usualTransport } from "../../base/http/transport.ts";
import { newLog } from "../../base/terminal/log.ts";
import { getOwn } from "../../base/home/get-own.ts";
import type { Rows } from "../../base/rows/row.ts";
import { newScrub, scrubError } from "../../base/home/secrets.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import { takeLock } from "../../base/home/lock.ts";
import { formatIdStamp } from "../../base/time/text.ts";
import { existsSync } from "node:fs";

/** How one delivery is to be made. */
export type DeliveryOrder = Pick<DeliveryContext, "deliveryId" | "confirmed" | "print"> &
  Partial<Pick<DeliveryContext, "announcement" | "ledger" | "leavesOut" | keyof RetryOptions>>;

/** The target of a name, its folder absolute; throws UsageError naming those there are. */
export function findTarget({ config, configFolder }: Settings, name: string): NamedTarget {
  const found = getOwn(config.targets, name);
  if (found === undefined) {
    const known = Object.keys(config.targets).join(", ");
    const advice = known
      ? `${known}; ${formatCommand("export", "targets")} shows them`
      : `none; add it under targets in auditlake.json, then run ${formatCommand("export", "test", name)}`;
    throw new UsageError(`target ${name} is not configured; known: ${advice}`);
  }
  return anchorTarget({ ...found, name }, configFolder);
}

/** The target with its paths, where it has some, absolute. */
export function anchorTarget(target: NamedTarget, configFolder: string): NamedTarget {
  const written: Readonly<Record<string, unknown>> = target;
  const paths = (getDestination(target).paths ?? []).flatMap((key) => {
    const path = written[key];
    return typeof path === "string" ? [[key, resolve(configFolder, path)] as const] : [];
  });
  return { ...target, ...Object.fromEntries(paths) };
}

/** The credentials of a target; throws UsageError where one is missing, and shows none. */
export function readTargetCredentials(
  target: NamedTarget,
  { config, configFolder }: Settings,
  { env }: World,
): Credentials {
  return readCredentials(target, config.authentications, configFolder, env);
}

/** Folder of the records that deliveries to a target keep. */
export function getOutbox({ root }: Home, target: string): string {
  return join(root, "outbox", target);
}

/**
 * Runs `work` under the lock of the target; `command` is shown to the others. Throws with exit code 5, naming the
 * holder, if it is taken.
 */
export async function withTarget<T>(
  home: Home,
  target: string,
  command: string,
  { now }: World,
  work: (outbox: string) => Promise<T>,
): Promise<T> {
  const outbox = getOutbox(home, target);
  // Its files name recipients.
  await makeSecureFolder(outbox, home.root);
  using _lock = takeLock(join(outbox, "delivery.lock"), command, now());
  return await work(outbox);
}

/**
 * Delivers rows to a target with its credentials and connections of its own; call it inside `withTarget`. Throws
 * what the connector throws, the credentials taken out of it.
 */
export async function deliverTo(
  target: NamedTarget,
  rows: Rows,
  order: DeliveryOrder,
  settings: Settings,
  world: World,
): Promise<Delivery> {
  return withContext(target, order, settings, world, (context) =>
    getDestination(target).deliver(target, rows, context),
  );
}

/** Tests a target as its destination does, with its credentials and connections of its own; throws what that throws. */
export async function tryTo(
  target: NamedTarget,
  isSending: boolean,
  settings: Settings,
  world: World,
): Promise<readonly string[]> {
  const deliveryId = `test-${formatIdStamp(world.now())}`;
  const order = { deliveryId, confirmed: false, print: () => undefined };
  return withContext(target, order, settings, world, (context) =>
    getDestination(target).test(target, context, isSending),
  );
}

async function withContext<T>(
  target: NamedTarget,
  order: DeliveryOrder,
  settings: Settings,
  world: World,
  work: (context: DeliveryContext) => Promise<T>,
): Promise<T> {
  const credentials = readTargetCredentials(target, settings, world);
  const { secrets } = credentials;
  const log = newLog(settings.flags.logLevel, secrets, world);
  await using http = newTransport({ ...buildTransportOptions(target), log }, world);
  const outbox = getOutbox(settings.home, target.name);
  const scrub = newScrub(secrets);
  const done = work({
    ledger: newLedger(),
    ...order,
    http,
    credential: credentials.of,
    print: (line) => order.print(mapTexts(line, scrub)),
    world,
    outbox,
  });
  return await done.catch((error: unknown) => {
    throw scrubError(error, scrub);
  });
}

// Requests without settings use the defaults.
function buildTransportOptions(target: NamedTarget): TransportOptions {
  const { timeout, tries, per_second: perSecond } = getRequestOptions(target);
  return {
    ...usualTransport,
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
    ...(tries === undefined ? {} : { maxAttempts: tries }),
    perSecond,
  };
}

function getRequestOptions(target: NamedTarget): RequestOptions {
  return "requests" in target ? (target.requests ?? {}) : {};
}

const front = "activation-";

/** The name of an activation's target, which is in no configuration. */
export function nameTarget(activation: string): string {
  return `${front}${activation}`;
}

/**
 * Throws UsageError if a configured target has the record name of an activation: their records share names, and each
 * would remove files that the other needs.
 */
export function refuseSharedRecords({ config, home }: Settings, target: string): void {
  if (!target.startsWith(front) || getOwn(config.targets, target) === undefined) return;
  const activation = target.slice(front.length);
  const hasRun = existsSync(join(home.root, "activations", `${activation}.duckdb`));
  if (!hasRun && getOwn(config.activations, activation) === undefined) return;
  throw new UsageError(
    `target ${target} and activation ${activation} store their records under the same name and would overwrite each other; rename one of them`,
  );
}
