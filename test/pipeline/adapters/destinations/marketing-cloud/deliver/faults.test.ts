import { describe, expect, it } from "vitest";
import { newJsonReply } from "../../../../../../fixtures/destinations/destination.ts";
import { carriesRows, nth, newRows, toRows } from "../sent.ts";
import { failure, newSetting } from "../setting.ts";

const rows = () => toRows(newRows(120));
const wanted = newRows(120).map(([id]) => id);
describe("throttling", () => {
  it.each([
    ["seconds", "30"],
    ["a date", new Date(Date.UTC(2026, 0, 2) + 30_000).toUTCString()],
  ])("waits as long as Retry-After asks, given as %s", async (_form, after) => {
    const setting = await newSetting();
    const headers = { "retry-after": after, date: new Date(Date.UTC(2026, 0, 2)).toUTCString() };
    setting.account.fault(nth(carriesRows, [1], newJsonReply(429, {}, headers)));
    expect((await setting.deliver(rows())).accepted).toBe(120);
    expect(setting.sleeps).toEqual([30_000]);
  });

  it("that never ends counts as a server-side error", async () => {
    const setting = await newSetting();
    setting.account.fault((call) => (carriesRows(call) ? newJsonReply(429, {}) : undefined));
    const delivery = await setting.deliver(rows());
    expect(delivery).toMatchObject({ accepted: 0, refused: 120, outcome: "partial" });
    expect(delivery.notes.at(-1)).toBe("none of 120 rows arrived");
  });
});

describe("an interruption", () => {
  it("ends the delivery between two calls, with nothing uncertain", async () => {
    const setting = await newSetting();
    const stop = new AbortController();
    let batches = 0;
    setting.account.fault((call) => {
      if (carriesRows(call) && (batches += 1) === 2) stop.abort();
      return undefined;
    });
    const error = await failure(setting.deliver(rows(), {}, { interrupt: stop.signal }));
    expect(error.exitCode).toBe(130);
    expect(error.message).toBe("delivery to crm stopped: interrupted; 100 rows sent, 20 not sent");
    expect(setting.ids()).toEqual(wanted.slice(0, 100));
  });
});

describe("an answer that never comes", () => {
  it("leaves its batch uncertain, reports it, and stops", async () => {
    const setting = await newSetting();
    let batches = 0;
    setting.account.fault((call) => (carriesRows(call) && (batches += 1) > 1 ? "lose" : undefined));
    const error = await failure(setting.deliver(rows()));
    expect(error.message).toMatch(
      /batch 2 \(50 rows\): the connection .*; 50 rows sent, 50 rows uncertain, 20 not sent$/,
    );
    expect(error.exitCode).toBe(6);
  });
});

describe("volume", () => {
  const many = 100_100;

  it("of 100,000 records or more in synchronous insertion causes one warning", async () => {
    const setting = await newSetting();
    // The account answers at once, so that only the counting takes time.
    setting.account.fault((call) => (carriesRows(call) ? { status: 204 } : undefined));
    await setting.deliver(toRows(newRows(many)));
    expect(setting.printed).toEqual([
      "target crm: 25,000 rows so far",
      "target crm: 50,000 rows so far",
      "target crm: 75,000 rows so far",
      "warning: target crm: 100,000 rows or more are sent synchronously, 50 per call; fewer are recommended, and async for a million or more (the account must be enabled for it)",
      "target crm: 100,000 rows so far",
    ]);
  });

  it("in asynchronous insertion causes no warning", async () => {
    const setting = await newSetting();
    const delivery = await setting.deliver(toRows(newRows(many)), { async: true });
    expect(delivery.accepted).toBe(many);
    expect(setting.printed.filter((line) => line.startsWith("warning"))).toEqual([]);
  });
});
