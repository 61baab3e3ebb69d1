import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, it } from "vitest";
import type { ReadEnd, Manifest } from "../../../../pipeline/core/landing/manifests.ts";
import { listEvidence, decideState, type Verdict } from "../../../../pipeline/core/load/verdict.ts";
import type { WindowState } from "../../../../pipeline/core/store/ledger/record.ts";
import type { ReadFacts, ReadResult } from "../../../../pipeline/core/store/loading/read-facts.ts";
import type { Traits } from "../../../../pipeline/core/store/ledger/coverage.ts";

// Evidence for the end of a read, and the state of its window.

type Part = ReadEnd["parts"][number];
const part: Part = {
  start: "2026-03-01 00:00:00",
  end: "2026-03-02 00:00:00",
  records: 10,
  by: "only_page",
  total: null,
  signs: [],
  last_page: 10,
  smallest_followed: null,
  followed: false,
};
const endedWith = (more: Partial<Part>, whole: Partial<ReadEnd> = {}): ReadEnd => ({
  form: "f",
  size: 100,
  whole: false,
  retention_ms: null,
  half_asked: false,
  longer: false,
  parts: [{ ...part, ...more }],
  ...whole,
});
const unknown: Traits = {
  isNextSeen: false,
  smallestFollowed: undefined,
  hasGiven: false,
  isHalfAsked: false,
};

describe("completeness evidence", () => {
  const cases: [string, ReadEnd, Partial<Traits>, string[]][] = [
    ["a single page", endedWith({}), {}, []],
    ["a single page of a source with records", endedWith({}), { hasGiven: true }, []],
    ["a null in the place of a next page", endedWith({ by: "null_next" }), {}, ["null_next"]],
    ["no next page, never seen", endedWith({ by: "absent_next" }), {}, []],
    [
      "no next page, seen before",
      endedWith({ by: "absent_next" }),
      { isNextSeen: true },
      ["absent_next"],
    ],
    [
      "no next page, seen now",
      endedWith({ by: "absent_next", followed: true }),
      {},
      ["absent_next"],
    ],
    ["an empty page", endedWith({ by: "empty_page" }), {}, ["empty_page"]],
    ["nothing at all", endedWith({ records: 0, last_page: 0 }), {}, []],
    [
      "nothing, of a source with records",
      endedWith({ records: 0, last_page: 0 }),
      { hasGiven: true },
      ["given_before"],
    ],
    ["a total that is reached", endedWith({ total: 10 }), {}, ["total"]],
    ["a total that is not", endedWith({ total: 11 }), {}, []],
    ["a short page, first of its kind", endedWith({ last_page: 3 }), {}, []],
    [
      "a page shorter than those with a successor",
      endedWith({ last_page: 3 }),
      { smallestFollowed: 50 },
      ["short_page"],
    ],
    [
      "a page as short as one with a successor",
      endedWith({ last_page: 50 }),
      { smallestFollowed: 50 },
      [],
    ],
    [
      "a short page after a shorter one",
      endedWith({ last_page: 3, smallest_followed: 2 }),
      { smallestFollowed: 50 },
      [],
    ],
    [
      "a page of unknown size",
      endedWith({ last_page: 3 }, { size: null }),
      { smallestFollowed: 50 },
      [],
    ],
    ["a longer range with more", endedWith({}, { longer: true }), {}, ["longer_range"]],
    ["the configuration's word", endedWith({}, { whole: true }), {}, ["whole"]],
    ["two parts, by themselves", endedWith({ by: "null_next" }, { parts: [part, part] }), {}, []],
  ];
  it.each(cases)("for %s is %j", (_what, ended, traits, expected) => {
    expect(listEvidence(ended, { ...unknown, ...traits })).toEqual(expected);
  });
});

const read: ReadFacts = {
  readId: "b",
  runId: "b",
  source: "s",
  windowStart: "2026-03-01 00:00:00",
  windowEnd: "2026-03-02 00:00:00",
  windowMs: 86_400_000,
  seenAt: "2026-03-05 00:00:00",
  parts: [],
};
const compared = { digest: "d", quarantined: 0, isComplete: true, wasOpen: false, parts: 1 };
const standing = (state: WindowState, quarantined = 0): Verdict["previous"] => ({
  newest: undefined,
  compared: { ...compared, quarantined },
  standing: { state, readId: "a", seenAt: "2026-03-04 00:00:00" },
});
const base: Verdict = {
  previous: standing("closed"),
  agrees: true,
  repeats: true,
  isIncomplete: false,
  evidence: ["parts"],
  signs: [],
  neutral: undefined,
};
const differs = { agrees: false, repeats: false, evidence: [] };

describe("a window", () => {
  type More = Partial<ReadResult> & { readonly seen?: string };
  type Case = [string, string | null, string, Partial<Verdict>, More?];
  const cases: Case[] = [
    ["finalized", null, "a read that agrees and shows its end", {}],
    ["closed", "no_evidence", "one that agrees and shows nothing", { evidence: [] }],
    ["closed", "differs", "one that does not agree", differs],
    ["closed", "lacking", "one that is missing what was shown", { ...differs, isIncomplete: true }],
    [
      "closed",
      "once",
      "a first one",
      { ...differs, previous: { newest: undefined, compared: undefined, standing: undefined } },
    ],
    [
      "closed",
      "once",
      "one that agrees with one before its end",
      { previous: { ...base.previous, compared: { ...compared, wasOpen: true } } },
    ],
    ["closed", "signs", "one that speaks against itself", { ...differs, signs: ["total"] }],
    ["closed", "forgotten", "one of a service that forgot", { ...differs, neutral: "forgotten" }],
    [
      "closed",
      "forgotten",
      "one that repeats what a service has left of it",
      { agrees: false, repeats: true, neutral: "forgotten" },
    ],
    ["accepted", null, "two of a version that kept no evidence", { evidence: ["earlier_version"] }],
    [
      "finalized",
      null,
      "what only vanished, after it was final",
      { ...differs, previous: standing("finalized") },
    ],
    [
      "finalized",
      null,
      "an answer cut off, after it was final",
      { ...differs, signs: ["next"], previous: standing("finalized") },
    ],
    [
      "finalized",
      "forgotten",
      "what was forgotten, after it was final",
      { ...differs, neutral: "forgotten", previous: standing("finalized") },
    ],
    [
      "closed",
      "forgotten",
      "what is new beside what was forgotten, after it was final",
      { ...differs, neutral: "forgotten", previous: standing("finalized") },
      { inserted: 1 },
    ],
    [
      "closed",
      "beyond_retention",
      "what may be new of long ago, after it was accepted",
      { ...differs, neutral: "beyond_retention", previous: standing("accepted") },
      { withheld: 1 },
    ],
    [
      "closed",
      "forgotten",
      "what came by another read, and the rest was forgotten, after it was final",
      { ...differs, neutral: "forgotten", previous: standing("finalized") },
      { seen: "2026-03-04 12:00:00" },
    ],
    [
      "closed",
      "differs",
      "what is new, after it was final",
      { ...differs, previous: standing("finalized") },
      { inserted: 1 },
    ],
    [
      "closed",
      "differs",
      "what is unreadable, after it was final",
      { ...differs, previous: standing("finalized") },
      { quarantined: 1 },
    ],
    [
      "finalized",
      null,
      "the same unreadable ones, after it was final",
      { ...differs, previous: standing("finalized", 2) },
      { quarantined: 2 },
    ],
    [
      "closed",
      "differs",
      "more that is unreadable, after it was final",
      { ...differs, previous: standing("finalized", 1) },
      { quarantined: 2 },
    ],
    [
      "closed",
      "differs",
      "what may be new, after it was final",
      { ...differs, previous: standing("finalized") },
      { withheld: 1 },
    ],
    [
      "closed",
      "differs",
      "what came by another read, after it was final",
      { ...differs, previous: standing("finalized") },
      { seen: "2026-03-04 12:00:00" },
    ],
    [
      "accepted",
      null,
      "the same again, after it was accepted",
      { ...differs, previous: standing("accepted") },
    ],
    [
      "closed",
      "differs",
      "what is new, after it was accepted",
      { ...differs, previous: standing("accepted") },
      { inserted: 1 },
    ],
    [
      "finalized",
      null,
      "a read that shows its end, after it was accepted",
      { previous: standing("accepted") },
    ],
    [
      "finalized",
      null,
      "a read that shows its end, after it was given up",
      { previous: standing("gap") },
    ],
    [
      "closed",
      "no_evidence",
      "one that shows nothing, after it was given up",
      { evidence: [], previous: standing("gap") },
    ],
    [
      "gap",
      "forgotten",
      "what was forgotten, after it was given up",
      { ...differs, neutral: "forgotten", previous: standing("gap") },
      { inserted: 1 },
    ],
  ];
  it.each(cases)(
    "is %s (%s) after %s",
    async (state, reason, _what, verdict, { seen, ...more } = {}) => {
      const instance = await DuckDBInstance.create();
      const connection = await instance.connect();
      await connection.run(`create table event_rows as
       select 's' as source, 'x' as read_id, timestamp '2026-03-01 10:00:00' as event_time,
         timestamp '${seen ?? "2026-03-03 00:00:00"}' as first_seen_at;
       create table window_reads (read_id varchar, source varchar, claimed_at timestamp)`);
      const manifest = { closed: true, window_end: null, ended: endedWith({}) } as Manifest;
      const result = { inserted: 0, quarantined: 0, withheld: 0, ...more };
      const found = await decideState(connection, read, manifest, { ...base, ...verdict }, result);
      expect([found.state, found.reason]).toEqual([state, reason]);
      const open = { ...manifest, closed: false };
      const young = await decideState(connection, read, open, { ...base, ...verdict }, result);
      expect(young.state).toBe("open");
      connection.closeSync();
      instance.closeSync();
    },
  );
});
