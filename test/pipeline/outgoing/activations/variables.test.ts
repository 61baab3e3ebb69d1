import { expect, it } from "vitest";
import { resolveVariables } from "../../../../pipeline/outgoing/activations/workflow.ts";

const chain = (length: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length }, (_, i) => [`p${i}`, i === length - 1 ? "end" : `\${params.p${i + 1}}`]),
  );
const params = {
  list: ["a", "${params.n}"],
  n: 7,
  none: null,
  deep: { inner: "x" },
  ...chain(12),
};

const listMessages = (value: unknown): unknown => {
  try {
    return resolveVariables(value, { timezone: "Asia/Tokyo", params }, ({ path, message }) => {
      throw new Error(`${path.join(".")}: ${message}`);
    });
  } catch (error) {
    return (error as Error).message;
  }
};

it.each([
  ["${timezone}", "Asia/Tokyo"],
  ["${ params.n }", 7],
  ["${params.n} and ${params.deep.inner}}", "7 and x}"],
  ["a ${params.n} b ${", "a 7 b ${"],
  ["${params.list}", ["a", 7]],
  [{ a: [null, 1, true, "${params.n}"] }, { a: [null, 1, true, 7] }],
  ["${params.p2}", "end"],
])("variables are inserted into %j", (value, expected) => {
  expect(listMessages(value)).toEqual(expected);
});

it.each([
  [{ a: ["${params}"] }, "a.0: ${params} is not defined here; expected ${params.…}, "],
  ["${params.none}", ": ${params.none} is not defined here"],
  ["${params.deep.inner.more}", ": ${params.deep.inner.more} is not defined here"],
  ["${params.toString}", ": ${params.toString} is not defined here"],
  ["${nosuch.n}", ": ${nosuch.n} is not defined here"],
  [{ b: "x ${params.list}" }, "b: ${params.list} is not text; expected it as the complete value"],
  ["${params.p1}", ": ${params.p11} refers to itself; expected"],
])("the fault of %j is reported with its place", (value, expected) => {
  expect(listMessages(value)).toContain(expected);
});

it("no time zone is set if the file names none", () => {
  const fail = (): never => {
    throw new Error("undefined");
  };
  for (const timezone of [undefined, null])
    expect(() => resolveVariables("${timezone}", { timezone, params }, fail)).toThrow(
      /^undefined$/,
    );
});
