import fc from "fast-check";
import { expect, it } from "vitest";
import { countRecords, readEnvelopePage } from "../../../../pipeline/core/records/each.ts";
import { detectFormat, type PageFormat } from "../../../../pipeline/core/records/format.ts";
import { jsonPage, recordText } from "./pages.ts";
import { fewOrAll } from "../../../fault/length.ts";

const runs = { numRuns: fewOrAll(500, 2000), seed: 1 };

type Body = { audits?: unknown[]; data?: { items: unknown[] } } | unknown[];

function arrayIn(body: Body): unknown[] {
  return Array.isArray(body) ? body : (body.data?.items ?? body.audits!);
}

it("an envelope page has the records and the envelope that JSON.parse finds", () => {
  let read = 0;
  fc.assert(
    fc.property(jsonPage, fc.boolean(), (page, byPath) => {
      const recordsAt = byPath ? page.recordsAt : null;
      const facts = readEnvelopePage(Buffer.from(page.text), recordsAt, []);
      if (facts === undefined) return;
      read += 1;
      const body = JSON.parse(page.text.replace("\ufeff", "")) as Body;
      expect(facts.records).toBe(arrayIn(body).length);
      expect(JSON.parse(facts.recordBytes.toString("utf8"))).toEqual(arrayIn(body));
      arrayIn(body).length = 0;
      expect(facts.envelope).toEqual(body);
    }),
    runs,
  );
  expect(read).toBeGreaterThan(runs.numRuns / 2);
});

/** Bodies between an envelope and a record that has arrays: the keys of both, lines, white space, and damage. */
const ambiguousBody = fc
  .record({
    members: fc.array(
      fc.oneof(
        recordText.map((record) => `"audits":[${record}]`),
        recordText.map((record) => `"data":{"audits":[{"time":1},${record}]}`),
        fc.constantFrom(
          '"time":1',
          '"t\\u0069me":1',
          '"event_name":"a"',
          '"event_name":"a\nb"',
          '"audits":[]',
          '"audits":[{"time":2,"event_name":"c"}]',
          '"old_value":[{"event_name":"\\"]"}]',
          '"tags":["}"]',
          '"next_page":null',
        ),
      ),
      { maxLength: 4 },
    ),
    gap: fc.constantFrom("", "", "\n", " "),
    after: fc.constantFrom("", "", "\n", '\n{"time":1}', "x", "\r\n\r\n"),
    cut: fc.option(fc.nat(200), { nil: undefined, freq: 4 }),
    mark: fc.constantFrom("", "", "\ufeff"),
  })
  .map(({ members, gap, after, cut, mark }) => {
    const body = Buffer.from(`${mark}${gap}{${gap}${members.join(`,${gap}`)}}${after}`);
    return cut === undefined ? body : body.subarray(0, body.length - (cut % body.length));
  });

it("a page is an envelope page only where the detected format is JSON and counting agrees", () => {
  let read = 0;
  fc.assert(
    fc.property(ambiguousBody, fc.constantFrom(null, "audits"), (bytes, recordsAt) => {
      const facts = readEnvelopePage(bytes, recordsAt, []);
      if (facts === undefined) return;
      read += 1;
      expect(detectFormat(bytes)).toBe("json" satisfies PageFormat);
      expect(facts).toEqual(countRecords(bytes, "json", recordsAt));
    }),
    { ...runs, numRuns: fewOrAll(2_000, 10_000) },
  );
  expect(read).toBeGreaterThan(fewOrAll(100, 500));
});
