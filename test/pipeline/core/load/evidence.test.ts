import { expect, it } from "vitest";
import type { Ended } from "../../../../pipeline/core/landing/manifests.ts";
import {
  filledParts,
  signsAgainst,
  signsInRecords,
  traitsAfter,
} from "../../../../pipeline/core/load/verdict.ts";

type Part = Ended["parts"][number];
const part = { followed: false, smallest_followed: null, records: 0, signs: [] } as unknown as Part;
const ended = (parts: readonly Part[], half_asked = false): Ended =>
  ({ parts, half_asked }) as unknown as Ended;
const nothing = {
  isNextSeen: false,
  smallestFollowed: undefined,
  hasGiven: false,
  isHalfAsked: false,
};

it("has seen of a source what any part of a read shows", () => {
  expect(traitsAfter(nothing, ended([part, part]))).toEqual(nothing);
  const full: Part = { ...part, followed: true, smallest_followed: 5, records: 1 };
  const seen = { isNextSeen: true, smallestFollowed: 5, hasGiven: true, isHalfAsked: false };
  for (const parts of [
    [part, full],
    [full, part],
  ])
    expect(traitsAfter(nothing, ended(parts))).toEqual(seen);
  expect(traitsAfter(seen, ended([part], true))).toEqual({ ...seen, isHalfAsked: true });
  const smaller = { ...full, smallest_followed: 3 };
  expect(traitsAfter(seen, ended([smaller]))).toMatchObject({ smallestFollowed: 3 });
  expect(traitsAfter({ ...seen, smallestFollowed: 2 }, ended([smaller]))).toMatchObject({
    smallestFollowed: 2,
  });
});

it("counts the parts that hold records, and names each sign once, in order", () => {
  const parts = [
    { ...part, records: 1, signs: ["late", "cut"] },
    { ...part, signs: ["cut"] },
  ] as Part[];
  expect(filledParts(ended(parts))).toBe(1);
  expect(signsAgainst(ended(parts))).toEqual(["cut", "late"]);
});

it.each([
  [9, 9, []],
  [10, 1000, []],
  [11, 1000, ["unreadable"]],
  [10, 999, ["unreadable"]],
  [300, 300, ["unreadable"]],
])("%i unreadable records of %i are the signs %j", (quarantined, fetched, signs) => {
  const held = { isSentAgain: false, quarantined, fetched };
  expect(signsInRecords(held, ended([part]))).toEqual(signs);
  expect(signsInRecords(held, { ...ended([part]), ignored: ["unreadable"] })).toEqual([]);
  // A file has no window that would stay open.
  expect(signsInRecords(held, undefined)).toEqual([]);
});
