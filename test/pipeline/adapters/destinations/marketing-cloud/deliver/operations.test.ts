import { beforeEach, describe, expect, it } from "vitest";
import { newJsonReply, type Call } from "../../../../../../fixtures/destinations/destination.ts";
import { DeliveryError } from "../../../../../../pipeline/outgoing/targets/error.ts";
import { carriesRows, nth, newRows, toRows } from "../sent.ts";
import { extensionName, failure, fields, newSetting, type Setting } from "../setting.ts";

// Seed 002, A, Data operations, rules 1 to 6.

let setting: Setting;
beforeEach(async () => void (setting = await newSetting({ isEmpty: true })));

const isClear = (call: Call): boolean => call.body.includes("ClearData");
const before = [
  { id: "old", actor: "olav", count: 9 },
  { id: "r1", actor: "rosa", count: 9 },
];
const yes = { confirmed: true };

describe("upsert (rule 1)", () => {
  it("updates rows of the same primary key, inserts the others, and leaves all others unchanged", async () => {
    setting.account.make(extensionName, fields, before);
    const delivery = await setting.deliver(toRows(newRows(2)));
    expect(delivery).toEqual({
      target: "crm",
      accepted: 2,
      refused: 0,
      outcome: "delivered",
      notes: [],
    });
    expect(setting.account.arrived(extensionName)).toEqual([
      before[0],
      { id: "r1", actor: "ana@x.example", count: 0 },
      { id: "r2", actor: "ana@x.example", count: 1 },
    ]);
    expect(setting.account.clearings()).toBe(0);
  });

  it("is the default, and needs no confirmation", () => {
    expect(setting.target().data_operation).toBe("upsert");
  });

  it("matches on all columns of a composite primary key", async () => {
    setting.account.make(
      extensionName,
      [fields[0], { ...fields[1], isPrimaryKey: true }, fields[2]],
      before,
    );
    await setting.deliver(
      toRows([
        ["r1", "rosa", 1n],
        ["r1", "ana", 2n],
      ]),
    );
    expect(
      setting.account.arrived(extensionName).map(({ actor, count }) => [actor, count]),
    ).toEqual([
      ["olav", 9],
      ["rosa", 1],
      ["ana", 2],
    ]);
  });

  it("sends 50 records a call, whatever records_per_batch says (asynchronous insertion only)", async () => {
    setting.account.make(extensionName, fields);
    await setting.deliver(toRows(newRows(120)), { records_per_batch: 100 });
    const sizes = setting.account.calls
      .filter(carriesRows)
      .map(({ body }) => (JSON.parse(body) as unknown[]).length);
    expect(sizes).toEqual([50, 50, 20]);
  });

  it("sends fewer where they are more than 5 MB", async () => {
    setting.account.make(extensionName, [fields[0], { name: "actor", length: 4000 }, fields[2]]);
    const long = "x".repeat(900_000);
    const error = await failure(setting.deliver(toRows([["a", long, 1n]])));
    expect(error.message).toContain(
      "row 1 is not a valid record: actor is longer than 4000 characters",
    );
    setting.account.make("wide", [fields[0], { name: "actor", length: 4_000_000 }, fields[2]]);
    const rows = toRows(newRows(12).map(([id]) => [id!, long, 1n]));
    await setting.deliver(rows, { de_name: "wide" });
    expect(
      setting.account.calls.filter(carriesRows).map(({ body }) => body.length > 5 * 1024 * 1024),
    ).toEqual([false, false, false]);
    expect(setting.account.arrived("wide")).toHaveLength(12);
  });

  it("accepts a result without rows", async () => {
    setting.account.make(extensionName, fields, before);
    expect(await setting.deliver(toRows([]))).toMatchObject({ accepted: 0, outcome: "delivered" });
    expect(setting.account.arrived(extensionName)).toEqual(before);
  });
});

describe("replace", () => {
  beforeEach(() => setting.account.make(extensionName, fields, before));
  const replace = { data_operation: "replace" };

  it("clears all rows before new ones are written, with a prominent warning (rule 2)", async () => {
    const delivery = await setting.deliver(toRows(newRows(60)), replace, yes);
    expect(delivery).toMatchObject({ accepted: 60, outcome: "delivered" });
    expect(setting.ids()).toEqual(newRows(60).map(([id]) => id));
    expect(setting.account.clearings()).toBe(1);
    expect(setting.printed).toEqual([
      'warning: target crm: replace CLEARS ALL ROWS of data extension "denials" first; this CANNOT BE UNDONE, even if the delivery then fails',
    ]);
  });

  it("is refused without --yes, before the first request", async () => {
    const error = await failure(setting.deliver(toRows(newRows(3)), replace));
    expect(error.exitCode).toBe(2);
    expect(error.message).toMatch(
      /replace CLEARS ALL ROWS .*CANNOT BE UNDONE.*; confirm with --yes$/,
    );
    expect(setting.account.calls).toEqual([]);
  });

  it.each([
    ["a NULL in the primary key", [null, "x", 1n], "id is null, but part of the primary key"],
    ["a wrong data type", ["a", "x", "CANARY"], "count is not an integer"],
    ["an invalid primary key", ["CANARY".repeat(20), "x", 1n], "id is longer than 40 characters"],
  ])("with %s clears all rows and skips that record (rule 3)", async (_what, bad, why) => {
    const rows = [...newRows(60), bad, ...newRows(2, "s")];
    const delivery = await setting.deliver(toRows(rows), replace, yes);
    expect(delivery).toMatchObject({ accepted: 62, refused: 1, outcome: "partial" });
    expect(delivery.notes).toEqual([`row 61 is not a valid record and was skipped: ${why}`]);
    expect(setting.ids()).toEqual([...newRows(60), ...newRows(2, "s")].map(([id]) => id));
  });

  it("with only invalid records leaves no rows", async () => {
    const rows = Array.from({ length: 30 }, () => [null, "x", 1n]);
    const delivery = await setting.deliver(toRows(rows), replace, yes);
    expect(delivery).toMatchObject({ accepted: 0, refused: 30, outcome: "partial" });
    expect(delivery.notes).toHaveLength(12);
    expect(delivery.notes.at(-2)).toBe("and 20 more of this kind");
    expect(setting.ids()).toEqual([]);
  });

  it("with a schema error, a missing primary key column, leaves the rows unchanged (rule 4)", async () => {
    const columns = [
      { name: "actor", type: "VARCHAR", kind: "text" as const },
      { name: "count", type: "BIGINT", kind: "number" as const },
    ];
    const error = await failure(setting.deliver(toRows([["a", 1n]], columns), replace, yes));
    expect(error.exitCode).toBe(2);
    expect(error.message).toMatch(
      /needs id \(primary key\), which is missing from the result; it has actor, count; no row was touched/,
    );
    expect(setting.account.arrived(extensionName)).toEqual(before);
    expect(setting.account.clearings()).toBe(0);
  });

  it("clears whether the job later succeeds or fails (rule 5)", async () => {
    setting.account.fault((call) => (carriesRows(call) ? newJsonReply(403, {}) : undefined));
    const error = await failure(setting.deliver(toRows(newRows(60)), replace, yes));
    expect(error).toBeInstanceOf(DeliveryError);
    expect(error.exitCode).toBe(6);
    expect(error.message).toContain("the previous rows were cleared; 0 rows sent, 60 not sent");
    expect(setting.account.arrived(extensionName)).toEqual([]);
  });

  it("needs a package with admin rights: without them nothing changes (rule 6)", async () => {
    setting = await newSetting({ isEmpty: true, isAdmin: false });
    setting.account.make(extensionName, fields, before);
    const error = await failure(setting.deliver(toRows(newRows(3)), replace, yes));
    expect(error.message).toMatch(
      /needs an Enterprise 2.0 account and a package with admin rights\) failed/,
    );
    expect(setting.account.arrived(extensionName)).toEqual(before);
  });

  it("reports that the rows may be cleared if that answer was lost and the next one is a refusal", async () => {
    let clearings = 0;
    setting.account.fault(({ body }) => {
      if (!body.includes("ClearData")) return undefined;
      return (clearings += 1) === 1 ? "lose" : { status: 403 };
    });
    const error = await failure(setting.deliver(toRows(newRows(60)), replace, yes));
    expect(error).toMatchObject({ name: "DeliveryError", exitCode: 6 });
    expect(error.message).toMatch(/403.*the previous rows may have been cleared; 0 rows sent/);
  });

  it("clears again, before any row, if the answer to the clearing was lost", async () => {
    setting.account.fault(nth(isClear, [1], "lose" as const));
    await setting.deliver(toRows(newRows(3)), replace, yes);
    expect(setting.account.clearings()).toBe(2);
    expect(setting.ids()).toEqual(["r1", "r2", "r3"]);
  });

  it("works in asynchronous insertion as well", async () => {
    await setting.deliver(
      toRows([...newRows(250), [null, "x", 1n]]),
      { ...replace, async: true, records_per_batch: 100 },
      yes,
    );
    expect(setting.ids()).toHaveLength(250);
    expect(setting.ids()).not.toContain("old");
  });
});

describe("the time zone", () => {
  const columns = [
    { name: "id", type: "VARCHAR", kind: "text" as const },
    { name: "actor", type: "TIMESTAMP", kind: "time" as const },
  ];

  it("is the account's: times are sent in UTC unchanged, and a note says so (there is no setting)", async () => {
    setting.account.make(extensionName, [fields[0], { name: "actor", type: "Date" }]);
    const delivery = await setting.deliver(toRows([["a", "2026-01-31T10:20:30Z"]], columns));
    expect(setting.account.arrived(extensionName)).toEqual([
      { id: "a", actor: "2026-01-31T10:20:30Z" },
    ]);
    expect(delivery.notes).toEqual([
      "times were sent in UTC; the account shows them in its own time zone, which cannot be changed",
    ]);
    expect(() => setting.target({ timezone: "UTC" })).toThrow("timezone");
  });
});
