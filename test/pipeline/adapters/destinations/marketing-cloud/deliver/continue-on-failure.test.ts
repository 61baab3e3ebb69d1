import { beforeEach, describe, expect, it } from "vitest";
import { newJsonReply } from "../../../../../../fixtures/destinations/destination.ts";
import { DeliveryError } from "../../../../../../pipeline/outgoing/targets/error.ts";
import { carriesRows, nth, newRows, toRows } from "../sent.ts";
import { failure, newSetting, type Setting } from "../setting.ts";

// Seed 002, A, synchronous insertion with continue_on_failure, and Errors, rule 3.

let setting: Setting;
beforeEach(async () => void (setting = await newSetting()));

const broken = newJsonReply(500, { message: "CANARY", errorcode: 99 });
/** Every try of the nth batch fails: a batch is tried six times. */
const batchFails = (batch: number) =>
  nth(
    carriesRows,
    Array.from({ length: 6 }, (_, at) => batch + at),
    broken,
  );
const all = newRows(101).map(([id]) => String(id));

describe("101 records in batches of 50, 50 and 1, continue_on_failure false", () => {
  it.each([
    [1, 0, 101],
    [2, 50, 51],
    [3, 100, 1],
  ])("batch %i fails: %i records are updated, %i are not", async (batch, updated, not) => {
    setting.account.fault(batchFails(batch));
    const error = await failure(
      setting.deliver(toRows(newRows(101)), { continue_on_failure: false }),
    );
    expect(setting.ids()).toEqual(all.slice(0, updated));
    const printed = `${updated} rows sent, ${not} not sent`;
    expect(error.message).toBe(
      `delivery to crm stopped: batch ${batch} (${batch === 3 ? "1 row" : "50 rows"}): answered 500 (error 99); ${printed}`,
    );
    expect(error.exitCode).toBe(updated === 0 ? 1 : 6);
    expect(error instanceof DeliveryError).toBe(updated > 0);
  });
});

describe("101 records in batches of 50, 50 and 1, continue_on_failure true", () => {
  it.each([
    [1, all.slice(50)],
    [2, [...all.slice(0, 50), ...all.slice(100)]],
    [3, all.slice(0, 100)],
  ])("batch %i fails on the server side: the others arrive", async (batch, arrived) => {
    setting.account.fault(batchFails(batch));
    const delivery = await setting.deliver(toRows(newRows(101)));
    expect(setting.ids()).toEqual(arrived);
    expect(delivery).toMatchObject({
      target: "crm",
      accepted: arrived.length,
      refused: 101 - arrived.length,
      outcome: "partial",
    });
    expect(delivery.notes.join()).toContain(`batch ${batch} (`);
    expect(delivery.notes.join()).not.toContain("CANARY");
  });

  it("is the default", () => {
    expect(setting.target().continue_on_failure).toBe(true);
  });

  it("continues after a batch whose rows the server refuses", async () => {
    const refused = newJsonReply(400, {
      message: "CANARY",
      errorcode: 10006,
      additionalErrors: [],
    });
    setting.account.fault(nth(carriesRows, [1], refused));
    const delivery = await setting.deliver(toRows(newRows(101)));
    expect(delivery).toMatchObject({ accepted: 51, refused: 50 });
    expect(delivery.notes[0]).toContain(
      "answered 400 (error 10006); some of its rows may have been saved",
    );
  });

  it("counts a batch that failed after a try with a lost answer as uncertain, not as refused", async () => {
    let tries = 0;
    setting.account.fault((call) => {
      if (!carriesRows(call) || (tries += 1) > 6) return undefined;
      return tries === 1 ? "lose" : broken;
    });
    const delivery = await setting.deliver(toRows(newRows(101)));
    expect(delivery).toMatchObject({ accepted: 51, refused: 0, uncertain: 50, outcome: "partial" });
    expect(setting.ids()).toEqual(all);
  });

  it.each([401, 403, 404])(
    "stops if the account answers %i, which is no server fault",
    async (status) => {
      let rowCalls = 0;
      setting.account.fault((call) =>
        carriesRows(call) && (rowCalls += 1) >= 2
          ? newJsonReply(status, { message: "no" })
          : undefined,
      );
      const error = await failure(setting.deliver(toRows(newRows(101))));
      expect(error).toBeInstanceOf(DeliveryError);
      expect(error.message).toContain("50 rows sent, 51 not sent");
      expect(setting.ids()).toEqual(all.slice(0, 50));
    },
  );

  it("stops at an invalid record, and reports only its row and column", async () => {
    const rows = newRows(101).map((row, at) => (at === 70 ? [row[0]!, row[1]!, "CANARY"] : row));
    const error = await failure(setting.deliver(toRows(rows)));
    expect(error.message).toBe(
      "delivery to crm stopped: row 71 is not a valid record: count is not an integer; 50 rows sent, 51 not sent",
    );
    expect(error.exitCode).toBe(6);
    expect(setting.ids()).toEqual(all.slice(0, 50));
  });

  it("stops at wrong credentials, and sends nothing", async () => {
    const error = await failure(setting.deliver(toRows(newRows(101)), { client_secret: "CANARY" }));
    expect(error.exitCode).toBe(4);
    expect(error.message).toContain("refused the installed package");
    expect(error.message).not.toContain("CANARY");
    expect(setting.ids()).toEqual([]);
  });
});
