import fc from "fast-check";
import { expect, test } from "vitest";
import type { Column } from "../../../../../pipeline/base/rows/row.ts";
import { render, buildResult, textColumns } from "../support.ts";

const columns: Column[] = [
  ...textColumns("a"),
  { name: "n", type: "HUGEINT", kind: "number" },
  { name: "d", type: "DECIMAL(10,2)", kind: "number" },
  { name: "f", type: "DOUBLE", kind: "number" },
  { name: "b", type: "BOOLEAN", kind: "boolean" },
];
const rows = [
  ['é"\n', 9007199254740993n, "1.50", 0.1, true],
  [null, null, null, Number.NaN, false],
] as const;

test("json is an array of objects with exact numbers", async () => {
  expect(await render("json", buildResult(columns, [rows[0]], [rows[1]]))).toBe(
    `[
{"a":"é\\"\\n","n":9007199254740993,"d":1.50,"f":0.1,"b":true},
{"a":null,"n":null,"d":null,"f":"NaN","b":false}
]
`,
  );
});

test("ndjson is the same objects, one to a line", async () => {
  const lines = (await render("ndjson", buildResult(columns, rows))).trimEnd().split("\n");
  const array = await render("json", buildResult(columns, rows));
  expect(`[\n${lines.join(",\n")}\n]\n`).toBe(array);
});

test("an empty result in JSON is an empty array, and in NDJSON an empty file", async () => {
  expect(await render("json", buildResult(columns))).toBe("[]\n");
  expect(await render("ndjson", buildResult(columns))).toBe("");
  expect(await render("json", buildResult(columns, []))).toBe("[]\n");
  const between = await render("json", buildResult(textColumns("a"), [], [["x"]], [], [["y"]], []));
  expect(between).toBe('[\n{"a":"x"},\n{"a":"y"}\n]\n');
});

test("any text is parsed back unchanged, in one batch or many", async () => {
  const text = fc.string({ unit: "binary" });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(text, { minLength: 1 })), text, async (batches, name) => {
      const result = buildResult(
        textColumns(name),
        ...batches.map((batch) => batch.map((cell) => [cell])),
      );
      const parsed: unknown = JSON.parse(await render("json", result));
      expect(parsed).toEqual(batches.flat().map((cell) => Object.fromEntries([[name, cell]])));
    }),
    { seed: 5 },
  );
});
