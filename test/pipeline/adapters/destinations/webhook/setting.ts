import {
  startWebhook,
  type WebhookDestination,
} from "../../../../../fixtures/destinations/webhook.ts";
import type { Fault } from "../../../../../fixtures/destinations/destination.ts";
import type { Delivery } from "../../../../../pipeline/outgoing/targets/destination.ts";
import { newLedger, type RetryOptions } from "../../../../../pipeline/outgoing/targets/ledger.ts";
import { deliverToWebhook } from "../../../../../pipeline/adapters/destinations/webhook/deliver.ts";
import { newTransport, usualTransport } from "../../../../../pipeline/base/http/transport.ts";
import type { Rows } from "../../../../../pipeline/base/rows/row.ts";
import { webhook } from "../../../../../schemas/connectors/webhook.ts";
import { testWorld } from "../../../../support/world.ts";
import { listRows } from "../../../outgoing/targets/rows.ts";

/** A receiver, and deliveries to it, of which those called `kept` share one ledger. */
export type Setting = AsyncDisposable & {
  readonly receiver: WebhookDestination;
  readonly deliver: (
    rows: Rows,
    more?: object,
    deliveryId?: string,
    signal?: AbortSignal,
    again?: RetryOptions,
  ) => Promise<Delivery>;
};

/** Starts a receiver with a secret, that answers `toTaken` to an id that it has. */
export async function newSetting(
  secret?: string,
  toTaken = 204,
  timeoutMs = 60_000,
): Promise<Setting> {
  const clock = { nowMs: Date.UTC(2026, 10, 21) };
  const now = (): number => clock.nowMs;
  const known = secret === undefined ? {} : { secret };
  const receiver = await startWebhook({ now, toTaken, ...known });
  const ledger = newLedger();
  const deliver: Setting["deliver"] = async (
    rows,
    more = {},
    deliveryId = "d1",
    signal = new AbortController().signal,
    again = {},
  ) => {
    const url = `${receiver.url}/hooks/1`;
    const settings = {
      type: "webhook",
      url,
      secret: receiver.secret,
      records_per_batch: 2,
      ...more,
    };
    const target = { ...webhook.parse(settings), name: "hook" };
    // A wait of an hour advances the clock by an hour.
    const sleep = (ms: number): Promise<void> => Promise.resolve(void (clock.nowMs += ms));
    const world = testWorld({ now, sleep, signal });
    await using http = newTransport({ ...usualTransport, timeoutMs }, world);
    const credential = (): string => target.secret!;
    const common = { http, credential, world, outbox: "/nowhere", confirmed: false, ...again };
    return await deliverToWebhook(target, rows, {
      ...common,
      ledger: deliveryId === "kept" ? ledger : newLedger(),
      deliveryId,
      print: () => undefined,
    });
  };
  return { receiver, deliver, [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose]() };
}

const denials = { name: "denials", type: "BIGINT", kind: "number" } as const;
/** Rows, in two columns. */
export const people = (count: number): Rows =>
  listRows(
    ["actor", denials],
    Array.from({ length: count }, (_, at) => [`a${at}`, BigInt(at)]),
  );

/** A fault that comes so often, and then no more. */
export function times(count: number, fault: Fault): () => Fault | undefined {
  let left = count;
  return () => (left-- > 0 ? fault : undefined);
}
