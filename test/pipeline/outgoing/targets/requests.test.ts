import { expect, test } from "vitest";
import { startDestination } from "../../../../fixtures/destinations/destination.ts";
import { startMessaging } from "../../../../fixtures/destinations/messaging.ts";
import { runInParallel } from "../../../../pipeline/outgoing/targets/error.ts";
import { newLedger } from "../../../../pipeline/outgoing/targets/ledger.ts";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import { deliverTo, findTarget, tryTo } from "../../../../pipeline/outgoing/deliveries/target.ts";
import type { Settings } from "../../../../pipeline/base/home/settings.ts";
import { configSchema } from "../../../../schemas/config.ts";
import { temporaryFolder } from "../../../support/load.ts";
import { testWorld } from "../../../support/world.ts";
import { listRows } from "./rows.ts";

function buildSettings(target: object): Settings & Disposable {
  const { path, remove } = temporaryFolder();
  return {
    home: resolveHome(path),
    config: configSchema.parse({ targets: { there: target } }),
    configFile: undefined,
    configFolder: path,
    flags: { logLevel: "error", progress: "none" },
    [Symbol.dispose]: remove,
  };
}

const order = { deliveryId: "d1", confirmed: false, print: () => undefined };
const many = rowsOfMany(12);
function rowsOfMany(count: number) {
  return () =>
    listRows(
      ["id"],
      Array.from({ length: count }, (_, at) => [`r${at}`]),
    );
}

/** A receiver that takes its time, and how many requests it had at once. */
async function slowReceiver(statusOf: (body: string) => number = () => 204) {
  let now = 0;
  const most = { at_once: 0 };
  const destination = await startDestination(async ({ body }) => {
    most.at_once = Math.max(most.at_once, (now += 1));
    await new Promise((resolve) => setTimeout(resolve, 20));
    now -= 1;
    return { status: statusOf(body) };
  });
  return { destination, most };
}

test.each([
  [undefined, 1],
  [4, 4],
])(
  "requests.parallel %s: at most %i requests at a time, each row once",
  async (parallel, expected) => {
    const { destination, most } = await slowReceiver();
    await using receiver = destination;
    const hook = {
      type: "webhook",
      url: receiver.url,
      secret: "SECRET-hook",
      records_per_batch: 1,
    };
    using settings = buildSettings({
      ...hook,
      requests: parallel === undefined ? {} : { parallel },
    });
    const target = findTarget(settings, "there");
    const went = await deliverTo(target, many(), order, settings, testWorld());
    expect(went).toMatchObject({ accepted: 12, outcome: "delivered" });
    expect(most.at_once).toBe(expected);
    const ids = receiver.calls.map(({ body }) => /"id":"(\w+)"/.exec(body)?.[1]);
    expect(new Set(ids).size).toBe(12);
    expect(ids).toHaveLength(12);
  },
);

test("in parallel, the first stop prevents all further requests, and the counts add up", async () => {
  const { destination } = await slowReceiver((body) => (body.includes('"r3"') ? 410 : 204));
  await using receiver = destination;
  const hook = { type: "webhook", url: receiver.url, secret: "SECRET-hook", records_per_batch: 1 };
  using settings = buildSettings({ ...hook, requests: { parallel: 3 } });
  const target = findTarget(settings, "there");
  const error = await deliverTo(target, many(), order, settings, testWorld()).catch(String);
  const [, out, not] = /(\d+) rows? sent, (\d+) not sent/.exec(String(error))!;
  expect(Number(out) + Number(not)).toBe(12);
  expect(receiver.calls.length).toBeLessThan(9);
  expect(Number(out)).toBe(receiver.calls.length - 1);
});

test("messages in parallel: each number gets one, and a stop prevents the others", async () => {
  await using service = await startMessaging();
  using settings = buildSettings({
    type: "messaging_business",
    access_token: service.token,
    base_url: service.url,
    version: service.version,
    messaging_product: "messages",
    phone_number_id: "7001",
    text_content: "Look.",
    requests: { parallel: 4 },
  });
  const numbers = Array.from({ length: 12 }, (_, at) => [`+16315550${100 + at}`]);
  const rows = () => listRows(["phone_number"], numbers);
  const target = findTarget(settings, "there");
  const ledgers = { d1: newLedger(), d2: newLedger() };
  const send = (deliveryId: keyof typeof ledgers) => {
    const ledger = ledgers[deliveryId];
    return deliverTo(target, rows(), { ...order, deliveryId, ledger }, settings, testWorld());
  };
  expect(await send("d1")).toMatchObject({ accepted: 12 });
  expect(new Set(service.arrived().map(({ to }) => to)).size).toBe(12);
  let posts = 0;
  const stop = { status: 401, body: '{"error":{"code":190}}' };
  service.fault(() => ((posts += 1) > 4 ? stop : undefined));
  const error = String(await send("d2").catch(String));
  const [, out, not] = /(\d+) rows? sent, (\d+) not sent/.exec(error)!;
  expect(Number(out) + Number(not)).toBe(12);
  service.fault(undefined);
  expect(await send("d2")).toMatchObject({ accepted: 12 });
  expect(service.arrived()).toHaveLength(24);
});

test("requests.per_second limits the rate, and requests.timeout and tries their values", async () => {
  await using receiver = await startDestination(() => ({ status: 204 }));
  const hook = { type: "webhook", url: receiver.url, secret: "SECRET-hook", records_per_batch: 1 };
  using settings = buildSettings({ ...hook, requests: { per_second: 2 } });
  const target = findTarget(settings, "there");
  let nowMs = 0;
  const sleeps: number[] = [];
  const sleep = (ms: number): Promise<void> => {
    sleeps.push(ms);
    return Promise.resolve(void (nowMs += ms));
  };
  await deliverTo(target, many(), order, settings, testWorld({ now: () => nowMs, sleep }));
  // The first of them does not wait.
  expect(sleeps).toEqual(Array.from({ length: 11 }, () => 500));
  expect(nowMs).toBeGreaterThanOrEqual(5500);
  expect(nowMs).toBeLessThan(6500);
  using quick = buildSettings({ ...hook, requests: { timeout: 200, tries: 2 } });
  const before = receiver.calls.length;
  receiver.fault(() => "hang");
  const quickly = findTarget(quick, "there");
  await expect(tryTo(quickly, true, quick, testWorld())).rejects.toThrow(/within 0\.2 s/);
  expect(receiver.calls.length - before).toBe(2);
});

test.each([
  [{ parallel: 0 }, /from 1 to 16/],
  [{ tries: 99 }, /from 1 to 20/],
  [{ per_second: 0 }, /requests a second/],
  [{ timeout: "soon" }, /expected a duration/],
  [{ speed: 1 }, /speed/],
])("requests %j is refused", (requests, message) => {
  const target = { type: "webhook", url: "https://x.example", secret: "SECRET-hook", requests };
  const parsed = configSchema.safeParse({ targets: { there: target } });
  expect(JSON.stringify(parsed.error?.issues)).toMatch(message);
});

test("the first failure is thrown once the requests in progress have ended", async () => {
  const done: number[] = [];
  const failed = Promise.withResolvers<void>();
  const work = async (item: number): Promise<void> => {
    if (item === 2) {
      setImmediate(failed.resolve);
      throw new Error("two");
    }
    await failed.promise;
    done.push(item);
  };
  await expect(runInParallel([1, 2, 3, 4, 5].values(), 3, work)).rejects.toThrow("two");
  expect(done.toSorted()).toEqual([1, 3]);
});
