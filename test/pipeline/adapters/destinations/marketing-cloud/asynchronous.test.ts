import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newJsonReply, type Call } from "../../../../../fixtures/destinations/destination.ts";
import { DeliveryError } from "../../../../../pipeline/outgoing/targets/error.ts";
import { newLedger } from "../../../../../pipeline/outgoing/targets/ledger.ts";
import { carriesRows, nth, newRows, toRows } from "./sent.ts";
import { extensionName, failure, newSetting, type Setting } from "./setting.ts";

// Seed 002, A, async and records_per_batch; wire facts: 202 with a request id, states, results of 50 a page.

const async = { async: true };
const isStatus = ({ url }: Call): boolean => url.pathname.endsWith("/status");
const isResults = ({ url }: Call): boolean => url.pathname.endsWith("/results");
const open = (setting: Setting): unknown => {
  const path = join(setting.outbox, "requests.json");
  return existsSync(path)
    ? (JSON.parse(readFileSync(path, "utf8")) as { open: string[] }).open
    : [];
};

describe("asynchronous insertion", () => {
  it("sends records_per_batch records a call, and waits until all are processed", async () => {
    const setting = await newSetting({ pollsNeeded: 4 });
    const delivery = await setting.deliver(toRows(newRows(250)), {
      ...async,
      records_per_batch: 100,
    });
    const calls = setting.account.calls.filter(carriesRows);
    expect(calls.map(({ method }) => method)).toEqual(["PUT", "PUT", "PUT"]);
    expect(
      calls.map(({ body }) => (JSON.parse(body) as { items: unknown[] }).items.length),
    ).toEqual([100, 100, 50]);
    expect(JSON.parse(calls[0]!.body)).toMatchObject({
      items: [{ id: "r1", actor: "ana@x.example", count: 0 }, ...Array(99).fill({})],
    });
    expect(delivery).toMatchObject({ accepted: 250, refused: 0, outcome: "delivered" });
    expect(setting.ids()).toHaveLength(250);
    expect(setting.sleeps.slice(0, 4)).toEqual([1000, 2000, 4000, 8000]);
    expect(open(setting)).toEqual([]);
  });

  it("sends 32,000 records a call by default", async () => {
    const setting = await newSetting();
    await setting.deliver(toRows(newRows(32_001)), async);
    const sizes = setting.account.calls
      .filter(carriesRows)
      .map(({ body }) => (JSON.parse(body) as { items: unknown[] }).items.length);
    expect(sizes).toEqual([32_000, 1]);
  });

  it("updates rows of the same primary key", async () => {
    const setting = await newSetting();
    await setting.deliver(toRows(newRows(3)), async);
    await setting.deliver(toRows([["r2", "eva", 7n]]), async);
    expect(setting.account.arrived(extensionName).map(({ actor }) => actor)).toEqual([
      "ana@x.example",
      "eva",
      "ana@x.example",
    ]);
  });

  it("counts the rows that were refused from all pages of the results, and shows codes alone", async () => {
    const setting = await newSetting();
    const items = Array.from({ length: 120 }, (_, at) =>
      at < 70
        ? { status: "OK", errorCode: "", message: "" }
        : { status: "Error", errorCode: "E9", message: "CANARY" },
    );
    const page = (call: Call): number => Number(call.url.searchParams.get("page"));
    setting.account.fault((call) => {
      const status = { requestStatus: "Complete", resultStatus: "Error", hasErrors: true };
      if (isStatus(call)) return newJsonReply(200, { status, resultMessages: [] });
      const found = items.slice((page(call) - 1) * 50, page(call) * 50);
      return isResults(call) ? newJsonReply(200, { count: 120, items: found }) : undefined;
    });
    const delivery = await setting.deliver(toRows(newRows(120)), async);
    expect(delivery).toMatchObject({ accepted: 70, refused: 50, outcome: "partial" });
    expect(delivery.notes).toEqual(["batch 1 (120 rows): 50 rows refused (error E9)"]);
    expect(setting.account.calls.filter(isResults).map(page)).toEqual([1, 2, 3]);
  });

  // OK is an accepted row, E a refused one; if some are missing, it is unknown which they are. A row without an
  // accepting result counts as refused, so that the counts are right for any listing.
  it.each<[string, results: string, refused: number, ledger: string]>([
    ["Complete", "OK OK OK OK OK", 0, "aaaaa"],
    ["Complete", "OK OK OK OK", 1, "rrrrr"],
    ["Complete", "", 5, "rrrrr"],
    ["Complete", "E E E E E E E", 5, "rrrrr"],
    ["Complete", "OK OK OK OK OK OK E", 5, "rrrrr"],
    ["Complete", "OK OK E OK OK", 1, "aaraa"],
    ["Complete", "E OK OK OK E", 2, "raaar"],
    ["Complete", "OK E", 4, "rrrrr"],
    ["Error", "", 5, "rrrrr"],
    ["Error", "OK OK", 3, "rrrrr"],
    ["Error", "OK OK OK E OK", 1, "aaara"],
  ])(
    "counts five rows of a request that ends in %s by its results: %s",
    async (requestStatus, results, refused, expected) => {
      const setting = await newSetting();
      const items = results
        .split(" ")
        .filter(Boolean)
        .map((status) => ({ status }));
      setting.account.fault((call) => {
        const status = { requestStatus, hasErrors: true };
        if (isStatus(call)) return newJsonReply(200, { status, resultMessages: [] });
        return isResults(call) ? newJsonReply(200, { count: items.length, items }) : undefined;
      });
      const ledger = newLedger();
      const delivery = await setting.deliver(toRows(newRows(5)), async, { ledger });
      const outcome = refused === 0 ? "delivered" : "partial";
      expect(delivery).toMatchObject({ accepted: 5 - refused, refused, outcome });
      expect([1, 2, 3, 4, 5].map((row) => ledger.getState(row)[0]).join("")).toBe(expected);
    },
  );

  it("treats a request without errors and without results as completed", async () => {
    const setting = await newSetting();
    const status = { requestStatus: "Complete" };
    setting.account.fault((call) => {
      if (isStatus(call)) return newJsonReply(200, { status });
      return isResults(call) ? newJsonReply(200, { count: 0, items: [] }) : undefined;
    });
    const delivery = await setting.deliver(toRows(newRows(5)), async);
    expect(delivery).toMatchObject({ accepted: 5, refused: 0, outcome: "delivered" });
  });

  it("resends a batch whose answer was lost: an upsert is safe to repeat", async () => {
    const setting = await newSetting();
    setting.account.fault(nth(carriesRows, [1], "lose" as const));
    const delivery = await setting.deliver(toRows(newRows(5)), async);
    expect(delivery).toMatchObject({ accepted: 5, refused: 0 });
    expect(setting.account.requests()).toBe(2);
    setting.account.carryOutAll();
    expect(setting.ids()).toEqual(newRows(5).map(([id]) => id));
  });

  it("stops at a rejected batch, and still waits for the batches before it", async () => {
    const setting = await newSetting();
    setting.account.fault(nth(carriesRows, [2, 3, 4, 5, 6, 7], newJsonReply(503, {})));
    const more = { ...async, records_per_batch: 100, continue_on_failure: true };
    const error = await failure(setting.deliver(toRows(newRows(250)), more));
    expect(error).toBeInstanceOf(DeliveryError);
    expect(error.message).toContain(
      "batch 2 (100 rows): answered 503; 100 rows sent, 150 not sent",
    );
    expect(setting.ids()).toHaveLength(100);
  });

  // Seed 002, Limits: the account has to be enabled for it.
  it("of an account that is not enabled for it stops at the first batch", async () => {
    const setting = await newSetting();
    setting.account.fault((call) => (carriesRows(call) ? newJsonReply(403, {}) : undefined));
    const error = await failure(setting.deliver(toRows(newRows(5)), async));
    expect(error.message).toMatch(
      /answered 403; check the rights .* and that the account is enabled for asynchronous insertion; 0 /,
    );
    expect(setting.ids()).toEqual([]);
  });

  it("reports the uncertain rows if the request is unknown", async () => {
    const setting = await newSetting();
    const unknown = { requestId: "x", resultMessages: [{ resultType: "Error" }] };
    setting.account.fault((call) => (isStatus(call) ? newJsonReply(200, unknown) : undefined));
    const error = await failure(setting.deliver(toRows(newRows(5)), async));
    expect(error.message).toMatch(
      /the account no longer knows request [^;]*; 0 rows sent, 5 rows uncertain, 0 not sent/,
    );
    expect(error.exitCode).toBe(6);
  });

  it("gives up after an hour, with uncertain rows and the stored request", async () => {
    const setting = await newSetting({ pollsNeeded: 1_000_000 });
    const error = await failure(setting.deliver(toRows(newRows(5)), async));
    expect(error.message).toContain(
      "did not finish within 60 minutes; 0 rows sent, 5 rows uncertain",
    );
    expect(open(setting)).toHaveLength(1);
  });

  it("ends at an interrupt while it waits, with uncertain rows", async () => {
    const setting = await newSetting({ pollsNeeded: 1_000_000 });
    const stop = new AbortController();
    setting.account.fault((call) => {
      if (isStatus(call)) stop.abort();
      return undefined;
    });
    const error = await failure(
      setting.deliver(toRows(newRows(5)), async, { interrupt: stop.signal }),
    );
    expect(error.exitCode).toBe(130);
    expect(error.message).toContain("interrupted; 0 rows sent, 5 rows uncertain, 0 not sent");
  });
});

describe("a request of an earlier delivery", () => {
  const leave = async (): Promise<Setting> => {
    const setting = await newSetting({ pollsNeeded: 4 });
    const stop = new AbortController();
    setting.account.fault((call) => {
      if (isStatus(call)) stop.abort();
      return undefined;
    });
    await failure(setting.deliver(toRows(newRows(5, "old")), async, { interrupt: stop.signal }));
    setting.account.fault(undefined);
    expect(open(setting)).toHaveLength(1);
    expect(setting.ids()).toEqual([]);
    return setting;
  };

  it("is awaited before rows are cleared, since it would bring old rows back", async () => {
    const setting = await leave();
    await setting.deliver(toRows(newRows(3)), { data_operation: "replace" }, { confirmed: true });
    setting.account.carryOutAll();
    expect(setting.ids()).toEqual(["r1", "r2", "r3"]);
    expect(setting.printed.join()).toContain("of an earlier delivery");
    expect(open(setting)).toEqual([]);
  });

  it("is awaited before newer values are written", async () => {
    const setting = await leave();
    await setting.deliver(toRows([["old1", "eva", 1n]]));
    setting.account.carryOutAll();
    expect(setting.account.arrived(extensionName)[0]).toMatchObject({ id: "old1", actor: "eva" });
  });

  const readUnnamed = (setting: Setting): unknown =>
    JSON.parse(readFileSync(join(setting.outbox, "requests.json"), "utf8"));

  // The first try is taken and its answer lost; what the later ones meet says nothing of it.
  it.each([503, 400, 403, 401])(
    "whose id was lost before %i is recorded as unnamed",
    async (status) => {
      const setting = await newSetting();
      let tries = 0;
      setting.account.fault((call) => {
        if (!carriesRows(call)) return undefined;
        return (tries += 1) === 1 ? "lose" : newJsonReply(status, {});
      });
      const error = await failure(setting.deliver(toRows(newRows(5)), async));
      expect(error).toBeInstanceOf(DeliveryError);
      expect(error.message).toContain("0 rows sent, 5 rows uncertain, 0 not sent");
      expect(error.exitCode).toBe(6);
      expect(readUnnamed(setting)).toEqual({ open: [], unnamed: true });
    },
  );

  it("besides one that has an id, from a try whose answer was lost, causes a warning", async () => {
    const setting = await newSetting();
    setting.account.fault(nth(carriesRows, [1], "lose" as const));
    await setting.deliver(toRows(newRows(250)), { ...async, records_per_batch: 100 });
    expect(readUnnamed(setting)).toEqual({ open: [], unnamed: true });
    setting.account.fault(undefined);
    await setting.deliver(toRows(newRows(5)), async);
    expect(setting.printed.filter((line) => line.startsWith("warning"))).toHaveLength(1);
    expect(readUnnamed(setting)).toEqual({ open: [], unnamed: false });
  });

  it("whose id never came causes a warning, once", async () => {
    const setting = await newSetting();
    setting.account.fault((call) => (carriesRows(call) ? "lose" : undefined));
    const error = await failure(setting.deliver(toRows(newRows(3)), async));
    expect(error.message).toContain("0 rows sent, 3 rows uncertain, 0 not sent");
    setting.account.fault(undefined);
    await setting.deliver(toRows(newRows(3)));
    await setting.deliver(toRows(newRows(3)));
    expect(setting.printed).toEqual([
      expect.stringMatching(
        /^warning: target crm: the outcome of a batch of an earlier delivery is unknown/,
      ),
    ]);
  });

  it("that was rejected is ignored", async () => {
    const setting = await newSetting();
    setting.account.fault((call) => (carriesRows(call) ? newJsonReply(400, {}) : undefined));
    await failure(setting.deliver(toRows(newRows(3)), async));
    setting.account.fault(undefined);
    await setting.deliver(toRows(newRows(3)));
    expect(setting.printed).toEqual([]);
  });

  it("that the account has deleted delays nothing", async () => {
    const setting = await newSetting();
    mkdirSync(setting.outbox, { recursive: true });
    writeFileSync(join(setting.outbox, "requests.json"), '{"open":["gone"]}');
    expect((await setting.deliver(toRows(newRows(3)))).accepted).toBe(3);
    expect(open(setting)).toEqual([]);
  });

  it("with an unreadable record is not guessed", async () => {
    const setting = await newSetting();
    mkdirSync(setting.outbox, { recursive: true });
    writeFileSync(join(setting.outbox, "requests.json"), "{");
    const error = await failure(setting.deliver(toRows(newRows(3))));
    expect(error.message).toContain("requests.json cannot be read");
    expect(setting.ids()).toEqual([]);
  });
});
