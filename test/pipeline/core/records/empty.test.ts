import { describe, expect, it } from "vitest";
import { checkEmpty, checkNoFault } from "../../../../pipeline/core/records/empty.ts";
import { PageError } from "../../../../pipeline/core/records/error.ts";

// How a body without records is judged: as a quiet window, or as something else with a message.

const judgements = {
  fault: "the body reports an error",
  none: "the body has no array of records",
  several: "the body has several arrays",
  record: "the body looks like a single record",
} as const;

/** What a check says of a body: `empty` where it throws nothing. */
function said(check: () => void): string {
  try {
    check();
    return "empty";
  } catch (error) {
    expect(error).toBeInstanceOf(PageError);
    const { message } = error as PageError;
    return (
      Object.entries(judgements).find(([, begin]) => message.startsWith(begin))?.[0] ?? message
    );
  }
}

const bodies: Readonly<Record<string, readonly unknown[]>> = {
  empty: [
    { audits: [] },
    { data: { audits: [] } },
    { audits: [], data: { others: [] } },
    { audits: [], tags: [1] },
    { audits: [], code: 399, status: "399", message: "okay" },
    { audits: [], message: "Success: nothing" },
    { audits: [], message: "" },
    { audits: [], message: 7, code: [400], status: [400] },
    { audits: [], data: { time: 1 } },
  ],
  fault: [
    // With no array, too: what it says of itself comes first.
    { error: "x" },
    { success: false, audits: [], others: [] },
    { data: { errors: [1] } },
    { code: 400, audits: [] },
    { code: "400", audits: [] },
    { code: 20_000, audits: [] },
    { code: "20000", audits: [] },
    { status: 600, audits: [] },
    { message: "nothing was okay", audits: [] },
    { data: { message: "sorry" }, audits: [] },
    { data: { code: 400 }, audits: [] },
    { data: { status: 20_000, audits: [] } },
  ],
  none: [
    {},
    "x",
    null,
    { audits: {} },
    { errors: [] },
    { data: { deeper: { audits: [] } } },
    { audits: [], others: [{ a: 1 }] },
    { audits: [], data: { others: [{ a: 1 }] } },
  ],
  several: [
    { audits: [], others: [] },
    { data: { audits: [], others: [] } },
    { one: { audits: [] }, two: { audits: [] } },
  ],
  record: [
    { time: 1, list: [] },
    { event_name: "a", data: { list: [] } },
    { data: { time: 1, list: [] } },
    { data: { event_name: "a", list: [] } },
  ],
};

describe("a body without records", () => {
  it.each(Object.keys(bodies))("is judged as %s", (judgement) => {
    for (const body of bodies[judgement]!)
      expect([body, said(() => checkEmpty(body, []))]).toEqual([body, judgement]);
  });
});

it("is judged without the signs that are configured to be ignored", () => {
  const signs = { code: 500, status: 500, message: "sorry", error: "x" };
  for (const [sign, value] of Object.entries(signs)) {
    const body = { audits: [], [sign]: value };
    const others = Object.keys(signs).filter((one) => one !== sign);
    expect([sign, said(() => checkEmpty(body, [sign]))]).toEqual([sign, "empty"]);
    expect([sign, said(() => checkEmpty(body, others))]).toEqual([sign, "fault"]);
  }
});

it("with a known array is a fault only by its signs and an HTTP status", () => {
  const faults = [{ code: 400 }, { code: "599" }, { status: 503 }, { data: { error: "x" } }];
  for (const body of faults)
    expect([body, said(() => checkNoFault(body, []))]).toEqual([body, "fault"]);
  const others = [
    { code: 399 },
    { code: 600 },
    { code: [500] },
    { message: "x" },
    "x",
    null,
    [500],
  ];
  for (const body of others)
    expect([body, said(() => checkNoFault(body, []))]).toEqual([body, "empty"]);
  expect(said(() => checkNoFault({ code: 500 }, ["code"]))).toBe("empty");
  expect(said(() => checkNoFault({ code: 500 }, ["status"]))).toBe("fault");
});
