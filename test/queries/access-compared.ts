import { expect } from "vitest";
import type { AccessSnapshot } from "../../fixtures/access/snapshot.ts";
import type { Row } from "../support/rows.ts";
import type { Remote } from "../support/remote.ts";
import type { Known, Played } from "./access-play.ts";
import { accessTexts, rightTexts, formatText, type Texts } from "./access-texts.ts";

/** What was compared: spans that are certain, and those that changes of one second leave open. */
export type Compared = { readonly certain: number; readonly uncertain: number };

/** Compares the rights of policies and users; initial flags are in no event. */
export async function compareSpans({ home, clock }: Remote, { states }: Played): Promise<Compared> {
  const rows = await home.rows("select * from permission_spans where origin <> 'flag'");
  return compareAtEach(rows, formatText, states, rightTexts, clock.nowMs);
}

/** What users could do, and by which way. */
export async function compareAccess(
  { home, clock }: Remote,
  { states }: Played,
): Promise<Compared> {
  const rows = await home.rows("select * from user_access where operation <> 'account_owner'");
  const getWay = (row: Row): string => formatText({ ...row, subject_id: row["user_id"] });
  return compareAtEach(rows, getWay, states, accessTexts, clock.nowMs);
}

function compareAtEach(
  rows: readonly Row[],
  text: (row: Row) => string,
  states: readonly Known[],
  expected: (state: AccessSnapshot) => Texts,
  lastMs: number,
): Compared {
  const spans = rows.map((row) => ({
    text: text(row),
    fromMs: toMoment(row["valid_from"]) ?? -Infinity,
    untilMs: toMoment(row["valid_to"]) ?? Infinity,
    isOpen: row["is_uncertain"] === true || row["known_from"] === "log, order unknown",
  }));
  for (const [i, { fromMs, state }] of states.entries()) {
    const untilMs = states[i + 1]?.fromMs ?? lastMs;
    for (const atMs of [fromMs, untilMs - 1]) {
      const held = spans.filter((span) => span.fromMs <= atMs && atMs < span.untilMs);
      const [open, certain] = [true, false].map((is) =>
        held.filter((span) => span.isOpen === is).map((span) => span.text),
      );
      // An undecided right may exist or not: it is neither missing nor too much.
      const texts = new Set(open);
      expectSame(
        [...certain!, ...expected(state).filter((text) => texts.has(text))],
        expected(state),
        `after state ${i}`,
      );
    }
  }
  const uncertain = spans.filter(({ isOpen }) => isOpen).length;
  return { certain: spans.length - uncertain, uncertain };
}

/** Expects the same texts, in any order. */
export function expectSame(found: readonly string[], expected: Texts, when: string): void {
  const [f, e] = [new Set(found), new Set(expected)];
  const both = { missing: [...e.difference(f)], unfounded: [...f.difference(e)] };
  expect(both, when).toEqual({ missing: [], unfounded: [] });
}

/** A moment of a row as milliseconds since the epoch. */
export function toMoment(value: Row[string]): number | undefined {
  return value === null ? undefined : Date.parse(`${String(value).replace(" ", "T")}Z`);
}
