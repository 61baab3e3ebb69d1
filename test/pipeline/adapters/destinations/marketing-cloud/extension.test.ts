import { beforeEach, describe, expect, it } from "vitest";
import type { Call } from "../../../../../fixtures/destinations/destination.ts";
import { marketingCloudDestination } from "../../../../../pipeline/adapters/destinations/marketing-cloud/destination.ts";
import type { Column, Row } from "../../../../../pipeline/base/rows/row.ts";
import { newRows, toRows } from "./sent.ts";
import { failure, fields, newSetting, type Setting } from "./setting.ts";

// Seed 002, A, de_name to sendable_column, and Errors, rules 1 and 2.

let setting: Setting;
beforeEach(async () => void (setting = await newSetting({ isEmpty: true })));

const creates = { create_new_de: true, primary_column: "id" };
const isCreate = ({ method, url }: Call): boolean =>
  method === "POST" && url.pathname.endsWith("/customobjects");
const column = (name: string, type: string, kind: Column["kind"]): Column => ({ name, type, kind });
const typed: readonly Column[] = [
  column("id", "VARCHAR", "text"),
  column("n", "BIGINT", "number"),
  column("d", "DECIMAL(10,2)", "number"),
  column("f", "DOUBLE", "number"),
  column("b", "BOOLEAN", "boolean"),
  column("at", "TIMESTAMP", "time"),
  column("day", "DATE", "time"),
  column("clock", "TIME", "time"),
];
const row: Row = ["a", 3n, "12.50", 0.5, true, "2026-01-31T10:20:30Z", "2026-01-31", "10:20:30"];

describe("create_new_de true", () => {
  it("creates the data extension if it does not exist, with types from the columns of the result", async () => {
    await setting.deliver(toRows([row], typed), creates);
    const made = setting.account.extension("denials")!;
    expect(made.isSendable).toBe(false);
    expect(made.fields.map(({ name, type, length, scale }) => [name, type, length, scale])).toEqual(
      [
        ["id", "TEXT", 4000, undefined],
        ["n", "NUMBER", undefined, undefined],
        ["d", "DECIMAL", 10, 2],
        ["f", "DECIMAL", 38, 10],
        ["b", "BOOLEAN", undefined, undefined],
        ["at", "DATE", undefined, undefined],
        ["day", "DATE", undefined, undefined],
        ["clock", "TEXT", 4000, undefined],
      ],
    );
    expect(made.fields.filter((field) => field.isPrimaryKey).map(({ name }) => name)).toEqual([
      "id",
    ]);
    expect(made.fields.map((field) => field.isNullable)).toEqual([false, ...Array(7).fill(true)]);
    expect(setting.account.arrived("denials")).toEqual([
      {
        id: "a",
        n: 3,
        d: "12.50",
        f: "0.5000000000",
        b: true,
        at: row[5],
        day: row[6],
        clock: row[7],
      },
    ]);
  });

  it("leaves an existing one unchanged", async () => {
    setting.account.make("denials", fields);
    await setting.deliver(toRows(newRows(2)), { ...creates, primary_text_length: 10 });
    expect(setting.account.calls.filter(isCreate)).toEqual([]);
    expect(setting.account.extension("denials")?.fields[0]?.length).toBe(40);
  });

  it("gives each column the data type of column_options", async () => {
    const names = ["id", "a", "b", "c", "d", "e", "f", "g", "h", "i"];
    const texts = names.map((name) => column(name, "VARCHAR", "text"));
    const column_options =
      "id:TEXT;a:NUMBER;b:DATE;c:BOOLEAN;d:EMAILADDRESS;e:PHONE;f:DECIMAL(12,3);g:LOCALE;h:BASE16ENCRYPTED;i:BASE16ENCRYPTEDEMAIL";
    const cells = [
      "k",
      "7",
      "2026-01-31",
      "true",
      "a@b.example",
      "+1 631-555",
      "1.5",
      "en-us",
      "ff",
      "ee",
    ];
    await setting.deliver(toRows([cells], texts), { ...creates, column_options });
    const made = setting.account.extension("denials")!.fields;
    expect(
      made.map(({ type, length }) => (length === undefined ? type : `${type}(${length})`)),
    ).toEqual([
      "TEXT(4000)",
      "NUMBER",
      "DATE",
      "BOOLEAN",
      "EMAILADDRESS(254)",
      "PHONE(50)",
      "DECIMAL(12)",
      "LOCALE(5)",
      "BASE16ENCRYPTED",
      "BASE16ENCRYPTEDEMAIL",
    ]);
    expect(setting.account.arrived("denials")[0]).toMatchObject({ a: 7, c: true, f: "1.500" });
  });

  it("makes the primary column a text of primary_text_length", async () => {
    await setting.deliver(toRows(newRows(1)), { ...creates, primary_text_length: 64 });
    expect(setting.account.extension("denials")!.fields[0]).toMatchObject({
      type: "TEXT",
      length: 64,
    });
  });

  it("makes the primary column a number if the column is one", async () => {
    await setting.deliver(toRows([row], typed), { ...creates, primary_column: "n" });
    expect(setting.account.extension("denials")!.fields[1]).toMatchObject({
      type: "NUMBER",
      isPrimaryKey: true,
    });
  });

  it.each([
    ["Subscriber Key", "_SubscriberKey"],
    ["Email Address", "_EmailAddress"],
  ])("makes it sendable by %s and the sendable column", async (sendable_rule, wire) => {
    const sendable = { is_sendable: true, sendable_rule, sendable_column: "actor" };
    await setting.deliver(toRows(newRows(1)), { ...creates, ...sendable });
    expect(setting.account.extension("denials")).toMatchObject({
      isSendable: true,
      sendableCustomObjectField: "actor",
      sendableSubscriberField: wire,
    });
  });

  it.each([
    ["primary_column", { primary_column: "nowhere" }],
    ["column_options", { column_options: "nowhere:TEXT" }],
    [
      "sendable_column",
      { is_sendable: true, sendable_rule: "Email Address", sendable_column: "nowhere" },
    ],
  ])("sends no request if %s names a column that is missing in the result", async (key, more) => {
    const error = await failure(setting.deliver(toRows(newRows(1)), { ...creates, ...more }));
    expect(error.exitCode).toBe(2);
    expect(error.message).toContain(
      `${key} names nowhere, which is missing from the result; it has id, actor, count`,
    );
    expect(setting.account.calls).toEqual([]);
  });

  it("creates only one if the answer to its creation is lost", async () => {
    setting.account.fault((call) => (isCreate(call) ? "lose" : undefined));
    const delivery = await setting.deliver(toRows(newRows(2)), creates);
    expect(delivery.accepted).toBe(2);
    expect(setting.account.calls.filter(isCreate)).toHaveLength(1);
  });

  it("prints the account's reason for a refusal", async () => {
    const found = { ...creates, column_options: "actor:EMAILADDRESS;count:TEXT(5)" };
    setting.account.fault((call) =>
      isCreate(call)
        ? { status: 400, body: '{"message":"the quota is used up","errorcode":7}' }
        : undefined,
    );
    const error = await failure(setting.deliver(toRows(newRows(1)), found));
    expect(error.message).toContain(
      'creating data extension "denials" answered 400: the quota is used up',
    );
  });
});

describe("create_new_de false", () => {
  it("creates none: a missing one is an error", async () => {
    const error = await failure(setting.deliver(toRows(newRows(1))));
    expect(error.exitCode).toBe(2);
    expect(error.message).toContain(
      'data extension "denials" does not exist; create it, or set create_new_de',
    );
    expect(setting.account.extension("denials")).toBeUndefined();
  });

  it("finds it by its complete name among many, in its folder", async () => {
    for (let at = 0; at < 60; at++) setting.account.make(`denials ${at}`, fields);
    setting.account.make("denials", fields, [], "/a");
    setting.account.make("denials", fields, [], "/b");
    await setting.deliver(toRows(newRows(2)), { folder_path: "/a" });
    expect(setting.account.extension("denials")?.folder).toBe("/a");
    expect(setting.account.arrived("denials")).toHaveLength(2);
  });

  it("requires the folder if two have the name", async () => {
    setting.account.make("denials", fields, [], "/a");
    setting.account.make("denials", fields, [], "/b");
    const error = await failure(setting.deliver(toRows(newRows(2))));
    expect(error.message).toContain(
      'there are 2 data extensions "denials"; choose one with folder_path',
    );
  });
});

describe("a data extension that is not supported", () => {
  const single = [{ name: "id", type: "Text", length: 40, isPrimaryKey: true }];
  const lone = toRows.bind(null, [["a"], ["b"]], [column("id", "VARCHAR", "text")]);

  it("is one without a primary key", async () => {
    setting.account.make("denials", [{ name: "id" }, { name: "actor" }, { name: "count" }]);
    const error = await failure(setting.deliver(toRows(newRows(1))));
    expect(error.exitCode).toBe(2);
    expect(error.message).toContain("has no primary key, which is not supported");
  });

  it("is one with fewer than 2 fields, in synchronous insertion", async () => {
    setting.account.make("denials", single);
    const error = await failure(setting.deliver(lone()));
    expect(error.exitCode).toBe(2);
    expect(error.message).toContain("fewer than 2 fields");
    expect(setting.account.arrived("denials")).toEqual([]);
  });

  it("is not even created with fewer than 2 fields, which the dry run says as well", async () => {
    const error = await failure(setting.deliver(lone(), creates));
    expect(error.message).toContain("fewer than 2 fields");
    expect(setting.account.extension("denials")).toBeUndefined();
    const target = setting.target(creates);
    const preview = (more: object) =>
      marketingCloudDestination.preview({ ...target, ...more }, lone(), () => undefined);
    await expect(preview({})).rejects.toThrow(error.message);
    expect(await preview({ async: true })).toContain("2 rows to data extension denials");
  });

  it("may have one field in asynchronous insertion", async () => {
    setting.account.make("denials", single);
    expect((await setting.deliver(lone(), { async: true })).accepted).toBe(2);
    expect(setting.account.arrived("denials")).toHaveLength(2);
  });
});

describe("a result that does not fit the data extension", () => {
  it("is refused where a column has no field", async () => {
    setting.account.make("denials", fields.slice(0, 2));
    const error = await failure(setting.deliver(toRows(newRows(1))));
    expect(error.message).toContain("has no field for column count; it has id, actor;");
  });

  it("is refused where a required field has no column", async () => {
    setting.account.make("denials", [...fields, { name: "must", isNullable: false }]);
    const error = await failure(setting.deliver(toRows(newRows(1))));
    expect(error.message).toContain("needs must (required), which is missing from the result");
  });

  it("is refused where two columns have one name", async () => {
    const twice = [column("id", "VARCHAR", "text"), column("ID", "VARCHAR", "text")];
    const error = await failure(setting.deliver(toRows([["a", "b"]], twice)));
    expect(error.message).toContain("the result has column ID twice");
    expect(setting.account.calls).toEqual([]);
  });

  it("matches names in any case", async () => {
    setting.account.make("denials", [{ ...fields[0], name: "ID" }, fields[1], fields[2]]);
    await setting.deliver(toRows(newRows(1)));
    expect(setting.account.arrived("denials")).toEqual([
      { ID: "r1", actor: "ana@x.example", count: 0 },
    ]);
  });
});
