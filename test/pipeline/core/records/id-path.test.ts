import { expect, it } from "vitest";
import { findIdPath } from "../../../../pipeline/core/records/identity.ts";

const buildSample = (of: (i: number) => object, count = 30): string[] =>
  Array.from({ length: count }, (_, i) =>
    JSON.stringify({
      time: 1_767_225_600 + i,
      event_name: "job_kill",
      session_id: `s${i}`,
      ...of(i),
    }),
  );

it.each<[string, (i: number) => object, string | undefined]>([
  ["a name of its own", (i) => ({ event_id: `e${i}` }), "event_id"],
  ["a number", (i) => ({ _id: i }), "_id"],
  ["one inside", (i) => ({ meta: { request: { uuid: `u${i}` } } }), "meta.request.uuid"],
  ["the one that is called an id", (i) => ({ a: `${i}`, requestId: `${i}` }), "requestId"],
  ["one that is not called an id", (i) => ({ note: `${i}` }), "note"],
  ["nothing beside an id", (i) => ({ id: i, event_id: `e${i}` }), undefined],
  ["nothing that repeats", (i) => ({ event_id: `e${i % 29}` }), undefined],
  ["nothing that one record is without", (i) => (i === 7 ? {} : { event_id: `e${i}` }), undefined],
  ["no time", (i) => ({ received_at: `${i}`, ingest_time: i }), undefined],
  ["no measure", (i) => ({ weight: i + 0.5 }), undefined],
  ["no known field", () => ({}), undefined],
])("the path of the record id is %s", (_what, of, path) => {
  expect(findIdPath(buildSample(of))).toBe(path);
});

it("a sample that is too small shows no path", () => {
  expect(findIdPath(buildSample((i) => ({ event_id: i }), 19))).toBeUndefined();
});
