import { commandText } from "../../base/command-line.ts";
import { join, resolve } from "node:path";
import type { RequestOptions } from "../../../schemas/connectors/requests.ts";
import type { Delivery, DeliveryContext, NamedTarget, Announcement } from "../targets/connector.ts";
import { newLedger, type Again, type Ledger } from "../targets/ledger.ts";
import { credentialsOf, type Credentials } from "./credentials.ts";
import { destinationOf } from "../registry.ts";
import { secureFolder } from "../../base/home/durable.ts";
import { UsageError } from "../../base/errors.ts";
import type { Home } from "../../base/home/layout.ts";
import { newTransport, usualTransport, type TransportOptions } from "../../base/http/transport.ts";
import { newLog } from "../../base/terminal/log.ts";
import { own } from "../../base/home/own.ts";
import type { Rows } from "../../base/rows/row.ts";
import { newScrub, scrubbed } from "../../base/home/secrets.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import { takeLock } from "../../base/home/lock.ts";
import { withProgress } from "./left.ts";
import { keepPlace } from "./same-place.ts";
import { idStamp } from "../../base/time/text.ts";

/** How one delivery is to be made. */
export type DeliveryOrder = Again & {
  /** Names the delivery; a delivery that is repeated has the same. Safe as a file name. */
  readonly deliveryId: string;
  /** Whether the person agreed beforehand to what cannot be undone. */
  readonly confirmed: boolean;
  /** What people get instead of the rows. */
  readonly announcement?: Announcement | undefined;
  /** The zone of timestamps that go out with its rows; UTC if left out. */
  readonly timezone?: string | undefined;
  /** What became of its rows so far; a new one if left out. */
  readonly ledger?: Ledger;
  /** How many rows it has; needed with a ledger. */
  readonly total?: number;
  /** Whether rows that can never go out are refused while others go. */
  readonly leavesOut?: boolean;
  readonly print: (line: string) => void;
};

/** The target of a name, its folder absolute; throws UsageError naming those there are. */
export function findTarget({ config, configFolder }: Settings, name: string): NamedTarget {
  const found = own(config.targets, name);
  if (found === undefined) {
    const known = Object.keys(config.targets).join(", ");
    const advice = known
      ? `${known}; ${commandText("export", "targets")} shows them`
      : `none; add it under targets in auditlake.json, then run ${commandText("export", "test", name)}`;
    throw new UsageError(`target ${name} is not configured; known: ${advice}`);
  }
  return anchored({ ...found, name }, configFolder);
}

/** The target with its paths, where it has some, absolute. */
export function anchored(target: NamedTarget, configFolder: string): NamedTarget {
  const written: Readonly<Record<string, unknown>> = target;
  const paths = (destinationOf(target).paths ?? []).flatMap((key) => {
    const path = written[key];
    return typeof path === "string" ? [[key, resolve(configFolder, path)] as const] : [];
  });
  return { ...target, ...Object.fromEntries(paths) };
}

/** The credentials of a target; throws UsageError where one is missing, and shows none. */
export function targetCredentials(
  target: NamedTarget,
  { config, configFolder }: Settings,
  { env }: World,
): Credentials {
  return credentialsOf(target, config.authentications, configFolder, env);
}

/** Folder of the records that deliveries to a target keep. */
export function outboxOf({ root }: Home, target: string): string {
  return join(root, "outbox", target);
}

/**
 * Runs `work` while nobody else delivers to the target; `command` is what the others are shown. Throws with exit code
 * 5, naming the holder, where somebody does.
 */
export async function withTarget<T>(
  home: Home,
  target: string,
  command: string,
  { now }: World,
  work: (outbox: string) => Promise<T>,
): Promise<T> {
  const outbox = outboxOf(home, target);
  // What lies in it says who got a message.
  await secureFolder(outbox, home.root);
  using _lock = takeLock(join(outbox, "delivery.lock"), command, now());
  return await work(outbox);
}

/**
 * Delivers rows to a target with its credentials and connections of its own; call it inside `withTarget`. Throws
 * what the connector throws, the credentials taken out of it. Throws UsageError where the delivery was begun elsewhere.
 */
export async function deliverTo(
  target: NamedTarget,
  rows: Rows,
  order: DeliveryOrder,
  settings: Settings,
  world: World,
): Promise<Delivery> {
  const { ledger, total = 0 } = order;
  if (ledger !== undefined) await keepPlace(target, ledger);
  return withContext(target, order, settings, world, (context) =>
    destinationOf(target)
      .deliver(target, rows, context)
      .catch((error: unknown) => {
        throw ledger === undefined ? error : withProgress(error, target.name, total, ledger);
      }),
  );
}

/** Tests a target as its destination does, with its credentials and connections of its own; throws what that throws. */
export async function tryTo(
  target: NamedTarget,
  sends: boolean,
  settings: Settings,
  world: World,
): Promise<readonly string[]> {
  const deliveryId = `test-${idStamp(world.now())}`;
  const order = { deliveryId, confirmed: false, print: () => undefined };
  return withContext(target, order, settings, world, (context) =>
    destinationOf(target).test(target, context, sends),
  );
}

async function withContext<T>(
  target: NamedTarget,
  order: DeliveryOrder,
  settings: Settings,
  world: World,
  work: (context: DeliveryContext) => Promise<T>,
): Promise<T> {
  const credentials = targetCredentials(target, settings, world);
  const { secrets } = credentials;
  const log = newLog(settings.flags.logLevel, secrets, world);
  await using http = newTransport({ ...transportOf(target), log }, world);
  const outbox = outboxOf(settings.home, target.name);
  const scrub = newScrub(secrets);
  const { deliveryId, confirmed, retryRefused, resendUncertain, leavesOut = false } = order;
  const done = work({
    http,
    credential: credentials.of,
    print: (line) => order.print(scrub(line)),
    confirmed,
    retryRefused,
    resendUncertain,
    leavesOut,
    announcement: order.announcement,
    ledger: order.ledger ?? newLedger(),
    world,
    deliveryId,
    outbox,
  });
  return await done.catch((error: unknown) => {
    throw scrubbed(error, scrub);
  });
}

// What is not said of the requests to a target is as for any other.
function transportOf(target: NamedTarget): TransportOptions {
  const { timeout, tries, per_second: perSecond } = requestsOf(target);
  return {
    ...usualTransport,
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
    ...(tries === undefined ? {} : { maxAttempts: tries }),
    perSecond,
  };
}

function requestsOf(target: NamedTarget): RequestOptions {
  return "requests" in target ? (target.requests ?? {}) : {};
}
