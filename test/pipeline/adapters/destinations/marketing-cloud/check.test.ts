import { formatLine } from "../../../../../pipeline/base/notice/printer.ts";
import { beforeEach, expect, it } from "vitest";
import { checkRows } from "../../../../../pipeline/adapters/destinations/marketing-cloud/deliver.ts";
import type { Row, Rows } from "../../../../../pipeline/base/rows/row.ts";
import { carriesRows, newRows, toRows } from "./sent.ts";
import { extensionName, failure, newSetting, type Setting } from "./setting.ts";

// Seed 002, A, Data operations, and Errors, rule 3: stored rows are checked before the first is sent.

let setting: Setting;
beforeEach(async () => void (setting = await newSetting()));

function listKept(rows: readonly Row[]): Rows {
  return { ...toRows(rows), again: () => Promise.resolve(listKept(rows)) };
}

const bad: readonly (readonly [string, Row, RegExp])[] = [
  [
    "text in a number",
    ["x", "ana", "many"],
    /row 121 is not a valid record: count is not an integer/,
  ],
  ["a null key", [null, "ana", 1n], /row 121 is not a valid record: id is null, but part of the/],
  [
    "a text that is too long",
    ["x".repeat(500), "ana", 1n],
    /row 121 is not a valid record: id is longer than/,
  ],
];

it.each(bad)("an upsert with %s in a late row sends nothing", async (_, row, message) => {
  const before = setting.ids();
  const error = await failure(setting.deliver(listKept([...newRows(120), row])));
  expect(error.message).toMatch(message);
  expect(error.message).toMatch(/; nothing was sent/);
  expect(setting.account.calls.filter(carriesRows)).toEqual([]);
  expect(setting.ids()).toEqual(before);
});

it.each(bad)("a record with %s is skipped if others are to be sent", async (_, row) => {
  const rows = listKept([...newRows(60), row, ["last", "ana", 1n]]);
  const delivery = await setting.deliver(rows, {}, { leavesOut: true });
  expect(delivery).toMatchObject({ accepted: 61, refused: 1, outcome: "partial" });
  expect(setting.ids()).toContain("last");
});

it("rows with one primary key are reported, and the last of them stays", async () => {
  const rows: Row[] = [...newRows(3), ["r2", "bo@x.example", 7n], ["r2", "cy@x.example", 8n]];
  await setting.deliver(listKept(rows));
  expect(setting.printed).toContainEqual(
    expect.stringMatching(
      /^warning: 2 rows repeat the primary key of an earlier .* row 4, 5: only/,
    ),
  );
  const found = setting.account.arrived(extensionName).find((row) => row["id"] === "r2");
  expect(found).toMatchObject({ actor: "cy@x.example", count: 8 });
});

// Rows with one key have to go out one after the other, so that the last of them stays.
it("rows may share a key unless none do, or if it cannot be checked", async () => {
  const id = { name: "id", type: "TEXT", length: 40, scale: undefined };
  const field = { ...id, isKey: true, isNullable: false, hasDefault: false };
  const layout = { keys: [{ at: 0, field }], others: [] };
  const share = async (rows: Rows, wanted: (number: number) => boolean = () => true) => {
    const said: string[] = [];
    const found = await checkRows(rows, layout, undefined, wanted, (line) =>
      said.push(formatLine(line)),
    );
    return [found, said.length];
  };
  const twice: Row[] = [...newRows(2), ["r2", "bo@x.example", 7n]];
  expect(await share(listKept(newRows(40)))).toEqual([false, 0]);
  expect(await share(listKept([]))).toEqual([false, 0]);
  expect(await share(listKept(twice))).toEqual([true, 1]);
  expect(await share(listKept(twice), (number) => number !== 2)).toEqual([false, 0]);
  expect(await share(toRows(newRows(2)))).toEqual([true, 0]);
});

it("names five rows with the key of another one, and that there are more", async () => {
  for (const [count, named] of [
    [5, "2, 3, 4, 5, 6:"],
    [6, "2, 3, 4, 5, 6, …:"],
  ] as const) {
    setting = await newSetting();
    await setting.deliver(listKept(Array.from({ length: count + 1 }, () => ["a", "b", 1n])));
    expect(setting.printed.join()).toContain(`warning: ${count} rows repeat the primary key`);
    expect(setting.printed.join()).toContain(`such as row ${named} only the last`);
  }
});
