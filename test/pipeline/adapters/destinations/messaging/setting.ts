import { type Line, formatLine } from "../../../../../pipeline/base/notice/printer.ts";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  startMessaging,
  type MessagingDestination,
  type MessagingOptions,
} from "../../../../../fixtures/destinations/messaging.ts";
import type { Call } from "../../../../../fixtures/destinations/destination.ts";
import type { Delivery } from "../../../../../pipeline/outgoing/targets/destination.ts";
import { readCredentials } from "../../../../../pipeline/outgoing/deliveries/credentials.ts";
import { openLedger, type Ledger } from "../../../../../pipeline/outgoing/targets/ledger.ts";
import { makeSecureFolder } from "../../../../../pipeline/base/home/durable.ts";
import { deliverMessages } from "../../../../../pipeline/adapters/destinations/messaging/deliver.ts";
import { newTransport, usualTransport } from "../../../../../pipeline/base/http/transport.ts";
import type { Rows } from "../../../../../pipeline/base/rows/row.ts";
import { target as targetSchema } from "../../../../../schemas/connectors.ts";
import { temporaryFolder } from "../../../../support/load.ts";
import { testWorld } from "../../../../support/world.ts";
import { listRows } from "../../../outgoing/targets/rows.ts";

type Settings = Readonly<Record<string, unknown>>;
type How = {
  readonly ledger?: Ledger;
  readonly deliveryId?: string;
  readonly retryRefused?: boolean;
  readonly resendUncertain?: boolean;
  readonly signal?: AbortSignal;
};

/** A messaging service, and what a delivery to it needs. */
export type Setting = AsyncDisposable & {
  readonly service: MessagingDestination;
  readonly outbox: string;
  readonly printed: string[];
  /** How long each sleep would have been, milliseconds. */
  readonly sleeps: number[];
  readonly deliver: (rows: Rows, more?: Settings, how?: How) => Promise<Delivery>;
  /** Whom messages arrived at, in order. */
  readonly reached: () => string[];
  /** All that the outbox holds, as one text. */
  readonly recorded: () => string;
};

export const template: Settings = {
  send_mode: "template",
  text_content: undefined,
  template_name: "denied",
  account_id: "5001",
  header_variable: "team",
  body_variables: "actor,denials",
};

/** Creates a new service; the delivery is free text unless configured otherwise. */
export async function newSetting(options: MessagingOptions = {}): Promise<Setting> {
  const service = await startMessaging(options);
  const { path, remove } = temporaryFolder();
  const outbox = join(path, "outbox");
  const printed: string[] = [];
  const sleeps: number[] = [];
  const sleep = (ms: number): Promise<void> => Promise.resolve(void sleeps.push(ms));
  const deliver: Setting["deliver"] = async (rows, more = {}, how = {}) => {
    const { deliveryId = "d1", signal, ...again } = how;
    const settings = { ...buildSettings(service), text_content: "You were denied.", ...more };
    const parsed = targetSchema.parse(settings);
    if (parsed.type !== "messaging_business") throw new Error("no messaging target");
    const named = { ...parsed, name: "chat" };
    const world = testWorld({ sleep, signal: signal ?? new AbortController().signal });
    await using http = newTransport({ ...usualTransport, timeoutMs: 300 }, world);
    const credential = readCredentials(named, {}, "/", {}).of;
    const print = (line: Line): void => void printed.push(formatLine(line));
    const common = { http, credential, world, outbox, print, confirmed: false };
    await makeSecureFolder(outbox, path);
    await using ledger = await openLedger(join(outbox, `${deliveryId}.ledger`));
    return await deliverMessages(named, rows, { ...common, deliveryId, ledger, ...again });
  };
  return {
    service,
    outbox,
    printed,
    sleeps,
    deliver,
    reached: () => service.arrived().map(({ to }) => to),
    recorded: () =>
      readdirSync(outbox)
        .map((name) => readFileSync(join(outbox, name), "utf8"))
        .join("\n"),
    [Symbol.asyncDispose]: async () => {
      await service[Symbol.asyncDispose]();
      remove();
    },
  };
}

/** The nth number, from 1: `+16315550001`. */
export function number(n: number): string {
  return `+1631555${String(n).padStart(4, "0")}`;
}

/** One row per number, from the first to the nth. */
export function people(count: number): Rows {
  const rows = Array.from({ length: count }, (_, at) => [number(at + 1)]);
  return listRows(["phone_number"], rows);
}

/** Whether a call sends a message. */
export function sends({ method, url }: Call): boolean {
  return method === "POST" && url.pathname.endsWith("/messages");
}

/** A fault for the nth messages, from 1. */
export function atMessages<T>(wanted: readonly number[], fault: T): (call: Call) => T | undefined {
  let seen = 0;
  return (call) => (sends(call) && wanted.includes((seen += 1)) ? fault : undefined);
}

/** Settings of a target at the emulated service, in text mode. */
export function buildSettings({
  token,
  url,
  version,
}: MessagingDestination): Record<string, unknown> {
  return {
    type: "messaging_business",
    access_token: token,
    base_url: url,
    version,
    messaging_product: "messages",
    phone_number_id: "7001",
    text_content: "x",
  };
}
