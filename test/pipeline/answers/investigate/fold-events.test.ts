import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type EventOfRun,
  foldEvents,
} from "../../../../pipeline/answers/investigate/fold-events.ts";

const minuteMs = 60_000;
const failure: EventOfRun = {
  source: "default",
  timeMs: 0,
  eventName: "sign_in_failed",
  outcome: "failed",
  denialKind: "failed_sign_in",
  person: "ana@example.com",
  address: "192.0.2.197",
};
const afterMinutes = (minutes: number, change: Partial<EventOfRun> = {}): EventOfRun => ({
  ...failure,
  ...change,
  timeMs: minutes * minuteMs,
});
const countRuns = (events: readonly EventOfRun[]): number[] =>
  foldEvents(events, (event) => event).map((run) => run.events.length);

test("equal events are grouped although other events are between them", () => {
  const success = { eventName: "sign_in", outcome: "succeeded", denialKind: null };
  const events = [0, 1, 2, 3].map((n) => afterMinutes(n, n === 2 ? success : {}));
  const runs = foldEvents(events, (event) => event);
  expect(runs.map(({ firstMs, lastMs, events: { length } }) => [firstMs, lastMs, length])).toEqual([
    [0, 3 * minuteMs, 3],
    [2 * minuteMs, 2 * minuteMs, 1],
  ]);
});

test("a pause of ten minutes ends a group, in either order", () => {
  const events = [0, 9.5, 19.5].map((n) => afterMinutes(n));
  expect(countRuns(events)).toEqual([2, 1]);
  expect(countRuns(events.toReversed())).toEqual([1, 2]);
});

test.each<[string, Partial<EventOfRun>]>([
  ["source", { source: "other" }],
  ["event name", { eventName: "sign_out" }],
  ["outcome", { outcome: "denied" }],
  ["kind of denial", { denialKind: null }],
  ["person", { person: "ben@example.com" }],
  ["address", { address: null }],
])("events that differ in %s are not grouped", (_, change) => {
  expect(countRuns([afterMinutes(0), afterMinutes(0, change)])).toEqual([1, 1]);
});

test("groups are the events that pauses under ten minutes connect", () => {
  const one = fc.record({
    person: fc.constantFrom("ana", "ben", ""),
    address: fc.constantFrom(null, "192.0.2.1", "null"),
    minute: fc.integer({ min: 0, max: 18 }).map((n) => n * 5),
  });
  const property = fc.property(fc.array(one, { maxLength: 25 }), fc.boolean(), (all, isDown) => {
    const inTime = all.toSorted((a, b) => (isDown ? b.minute - a.minute : a.minute - b.minute));
    const numbered = inTime.map((event, n) => ({ ...event, n }));
    const isNear = (a: (typeof numbered)[0], b: (typeof numbered)[0]): boolean =>
      a.person === b.person && a.address === b.address && Math.abs(a.minute - b.minute) < 10;
    const groups = numbered.map(({ n }) => n);
    // The closure of "near": each event takes the lowest number that it is connected with.
    for (let again = true; again;) {
      again = false;
      for (const a of numbered)
        for (const b of numbered)
          if (isNear(a, b) && groups[b.n]! > groups[a.n]!) {
            groups[b.n] = groups[a.n]!;
            again = true;
          }
    }
    const runs = foldEvents(numbered, ({ person, address, minute }) =>
      afterMinutes(minute, { person, address }),
    );
    const expected = Map.groupBy(numbered, ({ n }) => groups[n]!);
    expect(runs.map(({ events }) => events.map(({ n }) => n))).toEqual(
      [...expected.entries()].toSorted(([a], [b]) => a - b).map(([, own]) => own.map(({ n }) => n)),
    );
  });
  fc.assert(property);
});
