import { expect, it } from "vitest";
import type { HttpAnswer } from "../../../../../pipeline/base/http/exchange.ts";
import {
  readSeen,
  type SeenAnswer,
} from "../../../../../pipeline/core/source/discovery/read-answer.ts";
import { buildAnswer } from "./answers.ts";

// An answer taken apart: its form, the place of its records, and the records.

const text = (body: string, type: string): HttpAnswer => {
  const answer = { ...buildAnswer({}), text: body, body: Buffer.from(body) };
  return { ...answer, headers: { "content-type": type } } as HttpAnswer;
};

const texts = (seen: SeenAnswer | undefined): unknown => seen?.records.map((record) => record.text);
const [first, second] = ['{"time":1}', '{"time":"1970-01-01T00:00:02Z","id":"b"}'];
const log = [JSON.parse(first), JSON.parse(second)] as object[];

it.each<[shape: string, answer: HttpAnswer, records: readonly string[]]>([
  ["array", buildAnswer(log), [first, second]],
  ["envelope", buildAnswer({ audits: log, next: "c" }), [first, second]],
  ["envelope", buildAnswer({ audits: [] }), []],
  ["ndjson", text(`${first}\n\n${second}\n`, "application/x-ndjson"), [first, second]],
  [
    "csv",
    text("time,id\n1,a\n2,b\n", "text/csv"),
    ['{"time":"1","id":"a"}', '{"time":"2","id":"b"}'],
  ],
])("%s", (shape, answer, records) => {
  const seen = readSeen(answer);
  expect([seen?.shape, texts(seen), seen?.recordsAt]).toEqual([shape, records, null]);
  expect(seen?.records.map(({ ms }) => ms)).toEqual([1000, 2000].slice(0, records.length));
  expect(seen?.url).toBe("http://x");
});

it("a body that is not a page of records is nothing", () => {
  for (const answer of [buildAnswer({ greeting: "hello" }), text("{", "application/json")])
    expect(readSeen(answer)).toBeUndefined();
});

it("the place of records is reported if another array is beside them, and they have times", () => {
  const at = (body: object): string | null | undefined => readSeen(buildAnswer(body))?.recordsAt;
  expect(at({ data: { audits: log }, tags: [] })).toBe("data.audits");
  expect(at({ warnings: [], audits: log })).toBe("audits");
  expect(at({ audits: log })).toBeNull();
  expect(at({ audits: [], tags: [1] })).toBeNull();
  expect(at({ audits: [{ event_name: "a" }], tags: [] })).toBeNull();
  const deep = { a: { b: { c: { d: { audits: log } } } }, tags: [] };
  expect(at(deep)).toBe("a.b.c.d.audits");
});

it("records are those at the known place", () => {
  const body = { audits: log, others: [{ time: 5 }] };
  expect(texts(readSeen(buildAnswer(body), "others"))).toEqual(['{"time":5}']);
  expect(texts(readSeen(buildAnswer(body), "audits"))).toEqual([first, second]);
  expect(readSeen(buildAnswer(body), "nowhere")).toBeUndefined();
  expect(texts(readSeen(buildAnswer({ tags: [1, 2], audits: log }), null))).toEqual([
    first,
    second,
  ]);
});
