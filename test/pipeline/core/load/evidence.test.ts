import { expect, it } from "vitest";
import type { ReadEnd } from "../../../../pipeline/core/landing/manifests.ts";
import {
  countFilledParts,
  listSignsAgainst,
  listRecordSigns,
  updateTraits,
} from "../../../../pipeline/core/load/verdict.ts";

type Part = ReadEnd["parts"][number];
const part = { followed: false, smallest_followed: null, records: 0, signs: [] } as unknown as Part;
const end = (parts: readonly Part[], half_asked = false): ReadEnd =>
  ({ parts, half_asked }) as unknown as ReadEnd;
const nothing = {
  isNextSeen: false,
  smallestFollowed: undefined,
  hasGiven: false,
  isHalfAsked: false,
};

it("the evidence of a source includes all that any part of a read shows", () => {
  expect(updateTraits(nothing, end([part, part]))).toEqual(nothing);
  const full: Part = { ...part, followed: true, smallest_followed: 5, records: 1 };
  const seen = { isNextSeen: true, smallestFollowed: 5, hasGiven: true, isHalfAsked: false };
  for (const parts of [
    [part, full],
    [full, part],
  ])
    expect(updateTraits(nothing, end(parts))).toEqual(seen);
  expect(updateTraits(seen, end([part], true))).toEqual({ ...seen, isHalfAsked: true });
  const smaller = { ...full, smallest_followed: 3 };
  expect(updateTraits(seen, end([smaller]))).toMatchObject({ smallestFollowed: 3 });
  expect(updateTraits({ ...seen, smallestFollowed: 2 }, end([smaller]))).toMatchObject({
    smallestFollowed: 2,
  });
});

it("the parts with records are counted, and each sign is named once, in order", () => {
  const parts = [
    { ...part, records: 1, signs: ["late", "cut"] },
    { ...part, signs: ["cut"] },
  ] as Part[];
  expect(countFilledParts(end(parts))).toBe(1);
  expect(listSignsAgainst(end(parts))).toEqual(["cut", "late"]);
});

it.each([
  [9, 9, []],
  [10, 1000, []],
  [11, 1000, ["unreadable"]],
  [10, 999, ["unreadable"]],
  [300, 300, ["unreadable"]],
])("%i unreadable records of %i are the signs %j", (quarantined, fetched, signs) => {
  const held = { isSentAgain: false, quarantined, fetched };
  expect(listRecordSigns(held, end([part]))).toEqual(signs);
  expect(listRecordSigns(held, { ...end([part]), ignored: ["unreadable"] })).toEqual([]);
  // A file has no window that would stay open.
  expect(listRecordSigns(held, undefined)).toEqual([]);
});
