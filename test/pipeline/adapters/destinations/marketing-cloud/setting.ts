import { type Line, formatLine } from "../../../../../pipeline/base/notice/printer.ts";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import {
  startMarketingCloud,
  type MarketingCloudDestination,
  type MarketingCloudOptions,
} from "../../../../../fixtures/destinations/marketing-cloud.ts";
import type { Call } from "../../../../../fixtures/destinations/destination.ts";
import type {
  Delivery,
  DeliveryContext,
  WithName,
} from "../../../../../pipeline/outgoing/targets/destination.ts";
import { readCredentials } from "../../../../../pipeline/outgoing/deliveries/credentials.ts";
import { newLedger } from "../../../../../pipeline/outgoing/targets/ledger.ts";
import { deliverToMarketingCloud } from "../../../../../pipeline/adapters/destinations/marketing-cloud/deliver.ts";
import type { Rows } from "../../../../../pipeline/base/rows/row.ts";
import { newTransport, usualTransport } from "../../../../../pipeline/base/http/transport.ts";
import {
  marketingCloud,
  type MarketingCloud,
} from "../../../../../schemas/connectors/marketing-cloud.ts";
import { temporaryFolder } from "../../../../support/load.ts";
import { testWorld, type TestWorld } from "../../../../support/world.ts";

export const extensionName = "denials";

/** An account with a data extension, and what a delivery to it needs. */
export type Setting = {
  readonly account: MarketingCloudDestination;
  readonly outbox: string;
  readonly printed: string[];
  /** How long each sleep would have been, milliseconds. */
  readonly sleeps: number[];
  readonly clock: { nowMs: number };
  readonly target: (more?: Readonly<Record<string, unknown>>) => WithName<MarketingCloud>;
  readonly deliver: (
    rows: Rows,
    more?: Readonly<Record<string, unknown>>,
    context?: Partial<DeliveryContext> & { readonly interrupt?: AbortSignal },
  ) => Promise<Delivery>;
  /** Paths of the calls so far. */
  readonly paths: () => string[];
  /** Ids of what arrived in the usual data extension. */
  readonly ids: () => string[];
};

/** The columns of the usual data extension. */
export const fields = [
  { name: "id", type: "Text", length: 40, isPrimaryKey: true },
  { name: "actor", type: "Text", length: 100 },
  { name: "count", type: "Number" },
] as const;

/** A new account until the test ends; the usual data extension is in it unless `isEmpty`. */
export async function newSetting(
  options: MarketingCloudOptions & { readonly isEmpty?: boolean } = {},
): Promise<Setting> {
  const clock = { nowMs: Date.UTC(2026, 0, 2) };
  const account = await startMarketingCloud({ now: () => clock.nowMs, ...options });
  if (options.isEmpty !== true) account.make(extensionName, fields);
  const { path, remove } = temporaryFolder();
  onTestFinished(async () => {
    await account[Symbol.asyncDispose]();
    remove();
  });
  const outbox = join(path, "outbox");
  const printed: string[] = [];
  const sleeps: number[] = [];
  const target = (more: Readonly<Record<string, unknown>> = {}): WithName<MarketingCloud> => ({
    ...marketingCloud.parse({
      type: "marketing_cloud_v2",
      client_id: account.clientId,
      client_secret: account.clientSecret,
      auth_uri: account.url,
      soap_namespace: account.soapNamespace,
      de_name: extensionName,
      ...more,
    }),
    name: "crm",
  });
  const newWorld = (signal: AbortSignal): TestWorld =>
    testWorld({
      now: () => clock.nowMs,
      signal,
      sleep: async (ms) => {
        sleeps.push(ms);
        clock.nowMs += ms;
        await Promise.resolve();
      },
    });
  return {
    account,
    outbox,
    printed,
    sleeps,
    clock,
    target,
    deliver: async (rows, more, { interrupt, ...context } = {}) => {
      const named = target(more);
      const world = newWorld(interrupt ?? new AbortController().signal);
      await using http = newTransport({ ...usualTransport, timeoutMs: 20_000 }, world);
      const credential = readCredentials(named, {}, "/", {}).of;
      const common = { http, credential, world, confirmed: false, deliveryId: "d1", outbox };
      const print = (line: Line): void => void printed.push(formatLine(line));
      return await deliverToMarketingCloud(named, rows, {
        ...common,
        print,
        ledger: newLedger(),
        ...context,
      });
    },
    paths: () => account.calls.map(getPath),
    ids: () => account.arrived(extensionName).map((row) => String(row["id"])),
  };
}

function getPath({ method, url }: Call): string {
  return `${method} ${decodeURIComponent(url.pathname)}`;
}

/** What a promise is rejected with. */
export async function failure(promise: Promise<unknown>): Promise<Error & { exitCode?: number }> {
  try {
    await promise;
  } catch (error) {
    return error as Error;
  }
  throw new Error("it did not fail");
}
