import { expect, test } from "vitest";
import { render, buildResult, textColumns } from "../support.ts";

const columns = [
  ...textColumns("name", "query_text"),
  { name: "at", type: "TIMESTAMP", kind: "time" as const },
  { name: "n", type: "BIGINT", kind: "number" as const },
];

test("records have a block for each row: nothing is cut, null is omitted, line breaks are kept", async () => {
  const long = "x".repeat(500);
  const rows = [
    [long, "select 1\r\n\tfrom t", "2026-11-17T11:22:25Z", 5n],
    [null, "\u001b[2J\u202e", null, null],
  ] as const;
  expect(
    await render("lines", buildResult(columns, [rows[0]], [], [rows[1]]), { columns: 40 }),
  ).toBe(
    [
      "── 1 ─────────",
      `name        ${long}`,
      "query_text  select 1",
      "              from t",
      "at          2026-11-17 11:22:25",
      "n           5",
      "",
      "── 2 ─────────",
      String.raw`query_text  \u001b[2J\u202e`,
      "",
      "",
    ].join("\n"),
  );
});

test("an empty result prints no records", async () => {
  expect(await render("lines", buildResult(columns))).toBe("");
});
