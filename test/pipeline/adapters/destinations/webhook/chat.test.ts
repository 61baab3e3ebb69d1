import { expect, it, onTestFinished } from "vitest";
import { startDestination } from "../../../../../fixtures/destinations/destination.ts";
import { writeTextTable } from "../../../../../pipeline/outgoing/targets/table.ts";
import type { RowList } from "../../../../../pipeline/base/rows/row.ts";
import {
  writeChatBody,
  type ChatMessage,
} from "../../../../../pipeline/adapters/destinations/webhook/request.ts";
import { newSetting, people } from "./setting.ts";

const longest = 3000;

function buildTable(rows: number, columns: number, width: number): RowList {
  const names = Array.from({ length: columns }, (_, at) => `c${at}`);
  return {
    columns: names.map((name) => ({ name, type: "VARCHAR", kind: "text" })),
    rows: Array.from({ length: rows }, (_, row) =>
      names.map((name) => `${row}${name}`.padEnd(width, "x")),
    ),
  };
}

function formatText(message: ChatMessage): string {
  return (JSON.parse(writeChatBody({ body: "text" }, message)) as { text: string }).text;
}

// Counts the whole rows, by the line that shows the number of the others.
function shownIn(text: string, head: string, table: RowList): number {
  const total = table.rows.length;
  const found = /\nand (\d+) more of (\d+) rows$/.exec(text);
  const shown = total - Number(found?.[1] ?? 0);
  const part = writeTextTable({ ...table, rows: table.rows.slice(0, shown) });
  expect(text).toBe(`${head}\n${part}${found?.[0] ?? ""}`);
  expect(text.length).toBeLessThanOrEqual(longest);
  return shown;
}

it.each([
  [100, 3, 10, 20],
  [20, 3, 10, 20],
  [100, 13, 20, 9],
  [12, 13, 20, 9],
  [100, 46, 60, 0],
])(
  "of %i rows of %i columns of %i characters %i are shown completely, and the rest is counted",
  (rows, columns, width, expected) => {
    const table = buildTable(rows, columns, width);
    const text = formatText({ title: "d1", table, mostRows: 20 });
    if (expected > 0) expect(shownIn(text, "d1", table)).toBe(expected);
    else expect(text).toBe(`d1\n${rows} rows, all too long for a message`);
  },
);

it("rows of a notice follow its sentences, and each is shown completely", () => {
  const table = buildTable(50, 5, 20);
  const text = formatText({ title: "nightly failed", text: "why", table });
  expect(shownIn(text, "nightly failed\nwhy", table)).toBe(26);
  const few = buildTable(25, 2, 5);
  expect(shownIn(formatText({ title: "t", text: "why", table: few }), "t\nwhy", few)).toBe(25);
});

it("sentences that are too long are cut, and the rows are still counted", () => {
  const long = { title: "t", text: "x".repeat(longest) };
  expect(formatText(long)).toBe(`t\n${"x".repeat(longest - 3)}…`);
  const text = formatText({ ...long, table: buildTable(7, 1, 5) });
  expect(text).toMatch(/^t\nx+…\n7 rows, all too long for a message$/);
  expect(text).toHaveLength(longest);
});

it("a chat gets the first 20 rows of a delivery, the total, and the number of hidden rows", async () => {
  await using setting = await newSetting();
  const chat = await startDestination(() => ({ status: 200 }));
  onTestFinished(() => chat[Symbol.asyncDispose]());
  const toChat = { url: chat.url, body: "text", secret: undefined, records_per_batch: 30 };
  expect(await setting.deliver(people(30), toChat)).toMatchObject({ accepted: 30 });
  const { text } = JSON.parse(chat.calls[0]!.body) as { text: string };
  const [title, , ...lines] = text.split("\n");
  expect(title).toBe("d1: 30 rows");
  expect(lines.slice(0, -1).map((line) => line.split(" ")[0])).toEqual(
    Array.from({ length: 20 }, (_, at) => `a${at}`),
  );
  expect(lines.at(-1)).toBe("and 10 more of 30 rows");
});
