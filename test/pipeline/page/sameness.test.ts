import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answerFormats } from "../../../fixtures/service/answer.ts";
import { logged, type AuditRecord } from "../../../fixtures/record.ts";
import fingerprint from "../../../schemas/fingerprint.json" with { type: "json" };
import { fingerprintOf } from "../../../pipeline/page/fingerprint.ts";
import { dayMs, newRemote } from "../../support/remote.ts";

// What may differ between two sendings of one event, and must not make it two.

const { baseline } = fingerprint;
const of = (record: unknown): string => fingerprintOf(JSON.stringify(record), baseline);

const json = fc.jsonValue({ maxDepth: 3 });
const record = fc.dictionary(
  fc.oneof(fc.constantFrom(...baseline), fc.string({ unit: "grapheme", maxLength: 6 })),
  fc.oneof(json, fc.maxSafeInteger(), fc.boolean(), fc.constant(null), fc.constant("")),
);
const runs = { numRuns: 500, seed: 3 };

/** The same value with its keys in another order at every depth. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, member]) => [key, turned(member)]),
  );
}

const isEmpty = (value: unknown): boolean => value === null || value === "";
const mapValues = (
  value: Record<string, unknown>,
  change: (member: unknown) => unknown,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).map(([key, member]) => [key, change(member)]));

describe("the fingerprint does not depend", () => {
  it("on the order of keys, at any depth", () => {
    fc.assert(
      fc.property(record, (r) => {
        expect(of(turned(r))).toBe(of(r));
      }),
      runs,
    );
  });

  it("on null, empty or absent", () => {
    fc.assert(
      fc.property(record, (r) => {
        const filled = Object.entries(r).filter(([, value]) => !isEmpty(value));
        expect(of(Object.fromEntries(filled))).toBe(of(r));
        expect(of(mapValues(r, (value) => (isEmpty(value) ? null : value)))).toBe(of(r));
      }),
      runs,
    );
  });

  it("on a whole number or a boolean being text", () => {
    const isScalar = (value: unknown): boolean =>
      Number.isSafeInteger(value) || typeof value === "boolean";
    fc.assert(
      fc.property(record, (r) => {
        // Minus nought is nought as a number, and something else as text.
        const texts = mapValues(r, (value) => (isScalar(value) ? JSON.stringify(value) : value));
        expect(of(texts)).toBe(of(r));
      }),
      runs,
    );
  });

  it("on objects and arrays being JSON text, as CSV has them", () => {
    const isNested = (value: unknown): boolean => typeof value === "object" && value !== null;
    fc.assert(
      fc.property(record, fc.constantFrom(0, 2), (r, indent) => {
        const texts = mapValues(r, (value) =>
          isNested(value) ? JSON.stringify(turned(value), null, indent) : value,
        );
        expect(of(texts)).toBe(of(r));
      }),
      runs,
    );
  });

  it("on the spelling of the JSON", () => {
    const same = [
      '{"time":1,"old_value":{"a":[1,{"b":"é/"}]},"shade":12345678901234567890}',
      '{ "shade" : "12345678901234567890",\n "old_value" : { "a" : [ 1 , {"\\u0062":"\\u00e9\\/"} ] },\r\n "ti\\u006de":"1"}',
      '{"old_value":"{\\"a\\": [1, {\\"b\\": \\"\\\\u00e9/\\"}]}","shade":"12345678901234567890","time":1,"id":null}',
    ];
    expect(new Set(same.map((text) => fingerprintOf(text, baseline))).size).toBe(1);
  });
});

describe("the fingerprint tells apart", () => {
  it.each([
    [{ time: 1 }, { time: 2 }],
    [{ user_id: 1 }, { account_id: 1 }],
    [{ shade: "a" }, { shape: "a" }],
    [{ a: "1:b" }, { a: "1", b: "" }],
    [{ a: "x", b: "y" }, { a: "x\u001e1:b1:y" }],
    [{ event_name: "a\u001eb" }, { event_name: "a", event_result: "b" }],
    [{ old_value: '{"a":1}' }, { old_value: '{"a":"1"}' }],
    [{ old_value: [1, 2] }, { old_value: [2, 1] }],
    [{ shade: "10" }, { shade: "1", "0": "" }],
    [{ old_value: "9007199254740993" }, { old_value: "9007199254740992" }],
  ])("%j and %j", (a, b) => expect(of(a)).not.toBe(of(b)));

  it("big numbers by all their digits", () => {
    const of = (digits: string): string => fingerprintOf(`{"shade":${digits}}`, baseline);
    expect(of("9007199254740993")).not.toBe(of("9007199254740992"));
    expect(of("0.1")).not.toBe(of("0.10000000000000002"));
  });
});

it("an event has one key whatever format the service answers in", async () => {
  const day = Date.UTC(2026, 4, 1);
  const names = baseline.filter((name) => name !== "id");
  const known = fc.constantFrom(...names, "shade", "größe");
  const records = fc
    .sample(fc.dictionary(known, fc.oneof(json, fc.string(), fc.maxSafeInteger())), {
      numRuns: 60,
      seed: 5,
    })
    .map((r, i) => ({ ...r, time: day / 1000 + (i % 7), event_name: "job_kill", session_id: i }));
  // Equal events without an id are as many events.
  const all = [...records, ...records.slice(0, 5)] as unknown as AuditRecord[];
  const keys: unknown[] = [];
  for (const answer of answerFormats) {
    await using remote = await newRemote(day + dayMs);
    await remote.serve(
      all.map((r) => logged(r)),
      { answer, pageCap: 13 },
    );
    const { code, err } = await remote.ingest(["--from", "2026-05-01", "--to", "2026-05-02"]);
    expect([answer, code, err.split("\n").find((line) => line.includes("error"))]).toEqual([
      answer,
      0,
      undefined,
    ]);
    keys.push(await remote.home.rows("select event_key from events order by 1"));
  }
  expect(keys[0]).toHaveLength(65);
  for (const other of keys.slice(1)) expect(other).toEqual(keys[0]);
});
