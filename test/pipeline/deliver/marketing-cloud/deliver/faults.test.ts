import { describe, expect, it } from "vitest";
import { json, type Fault } from "../../../../../fixtures/destinations/destination.ts";
import { carriesRows, nth, numbered, rowsOf } from "../sent.ts";
import { failure, newSetting } from "../setting.ts";

// Each step of a delivery has one fault in turn, and a delivery that ends there is repeated. The data extension holds
// exactly the right rows.

const rows = () => rowsOf(numbered(120));
const wanted = numbered(120).map(([id]) => id);
const everything = {
  folder_path: "/a/b",
  create_folder_if_not_exists: true,
  create_new_de: true,
  primary_column: "id",
  data_operation: "replace",
};
const kinds: Readonly<Record<string, Fault>> = {
  "503": json(503, {}),
  "429": json(429, {}, { "retry-after": "7" }),
  "reset before it acts": "reset",
  "answer lost": "lose",
};
const yes = { confirmed: true };

async function steps(more: Readonly<Record<string, unknown>>): Promise<number> {
  const tried = await newSetting({ isEmpty: true });
  await tried.deliver(rows(), { ...everything, ...more }, yes);
  return tried.account.calls.length;
}

describe.each([
  ["synchronous", { async: false }],
  ["asynchronous", { async: true, records_per_batch: 100 }],
])("%s: a fault in passing", (_how, more) => {
  it.each(Object.keys(kinds))("(%s) at any one step changes nothing in the end", async (kind) => {
    const count = await steps(more);
    expect(count).toBeGreaterThan(14);
    for (let step = 1; step <= count; step++) {
      const setting = await newSetting({ isEmpty: true });
      setting.account.fault(nth(() => true, [step], kinds[kind]!));
      const delivery = await setting.deliver(rows(), { ...everything, ...more }, yes);
      setting.account.carryOutAll();
      expect({ step, ...delivery }).toMatchObject({ step, accepted: 120, refused: 0 });
      expect(setting.ids()).toEqual(wanted);
      expect(setting.account.folders()).toEqual(["/a", "/a/b"]);
    }
  });

  it("that does not pass ends the delivery at any step; repeated, it brings the right rows", async () => {
    const count = await steps(more);
    for (let step = 1; step <= count; step++) {
      const setting = await newSetting({ isEmpty: true });
      let seen = 0;
      setting.account.fault(() => ((seen += 1) >= step ? "reset" : undefined));
      const error = await failure(setting.deliver(rows(), { ...everything, ...more }, yes));
      expect(error.message).not.toBe("it did not fail");
      expect(error).toHaveProperty("exitCode");
      setting.account.fault(undefined);
      await setting.deliver(rows(), { ...everything, ...more }, yes);
      setting.account.carryOutAll();
      expect(setting.ids()).toEqual(wanted);
    }
  });
});

describe("throttling", () => {
  it.each([
    ["seconds", "30"],
    ["a date", new Date(Date.UTC(2026, 0, 2) + 30_000).toUTCString()],
  ])("waits as long as Retry-After asks, given as %s", async (_form, after) => {
    const setting = await newSetting();
    const headers = { "retry-after": after, date: new Date(Date.UTC(2026, 0, 2)).toUTCString() };
    setting.account.fault(nth(carriesRows, [1], json(429, {}, headers)));
    expect((await setting.deliver(rows())).accepted).toBe(120);
    expect(setting.sleeps).toEqual([30_000]);
  });

  it("that does not end counts as a server-side error", async () => {
    const setting = await newSetting();
    setting.account.fault((call) => (carriesRows(call) ? json(429, {}) : undefined));
    const delivery = await setting.deliver(rows());
    expect(delivery).toMatchObject({ accepted: 0, refused: 120, outcome: "partial" });
    expect(delivery.notes.at(-1)).toBe("none of 120 rows arrived");
  });
});

describe("an interruption", () => {
  it("ends the delivery between two calls, with nothing in doubt", async () => {
    const setting = await newSetting();
    const stop = new AbortController();
    let batches = 0;
    setting.account.fault((call) => {
      if (carriesRows(call) && (batches += 1) === 2) stop.abort();
      return undefined;
    });
    const error = await failure(setting.deliver(rows(), {}, { interrupt: stop.signal }));
    expect(error.exitCode).toBe(130);
    expect(error.message).toBe(
      "delivery to crm stopped: interrupted; 100 rows went out, 20 did not",
    );
    expect(setting.ids()).toEqual(wanted.slice(0, 100));
  });
});

describe("an answer that never comes", () => {
  it("leaves its batch in doubt, says so, and stops", async () => {
    const setting = await newSetting();
    let batches = 0;
    setting.account.fault((call) => (carriesRows(call) && (batches += 1) > 1 ? "lose" : undefined));
    const error = await failure(setting.deliver(rows()));
    expect(error.message).toMatch(
      /batch 2 \(50 rows\): the connection .*; 50 rows went out, 50 rows perhaps, 20 did not$/,
    );
    expect(error.exitCode).toBe(6);
  });
});

describe("volume", () => {
  const many = 100_100;

  it("of 100,000 records or more in synchronous insertion is warned of, once, and not before", async () => {
    const setting = await newSetting();
    // The account answers at once, so that only the counting takes time.
    setting.account.fault((call) => (carriesRows(call) ? json(200, []) : undefined));
    await setting.deliver(rowsOf(numbered(many)));
    expect(setting.printed).toEqual([
      "target crm: 25,000 rows so far",
      "target crm: 50,000 rows so far",
      "target crm: 75,000 rows so far",
      "warning: target crm: 100,000 rows and more go out synchronously, 50 a call; under that is advised, and async for a million or more (the account has to be enabled for it)",
      "target crm: 100,000 rows so far",
    ]);
  });

  it("in asynchronous insertion is not warned of", async () => {
    const setting = await newSetting();
    const delivery = await setting.deliver(rowsOf(numbered(many)), { async: true });
    expect(delivery.accepted).toBe(many);
    expect(setting.printed.filter((line) => line.startsWith("warning"))).toEqual([]);
  });
});
