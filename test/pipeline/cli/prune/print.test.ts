import { expect, it } from "vitest";
import { planText } from "../../../../pipeline/cli/prune.ts";
import type { PrunePlan } from "../../../../pipeline/core/prune/plan-prune.ts";

const nothing: PrunePlan = {
  before: "2026-02-25 00:00:00",
  source: null,
  withEvents: false,
  reads: [],
  kept: 0,
  pending: 0,
  stored: [],
  shared: 0,
  heldBack: 0,
  events: 0,
  quarantined: 0,
  straddling: 0,
};
const read = { source: "a", window_start: null, window_end: null } as PrunePlan["reads"][number];

// What each note begins with, and the plans that have it.
const notes: readonly (readonly [begins: string, has: (plan: PrunePlan) => boolean])[] = [
  ["stored but not in the published file", ({ pending }) => pending > 0],
  ["of pages shared with retained reads", ({ shared }) => shared > 0],
  ["of pages without a read", ({ heldBack }) => heldBack > 0],
  ["with events on both sides", ({ withEvents, straddling }) => withEvents && straddling > 0],
  ["Events stay in the database", ({ withEvents, events }) => !withEvents && events > 0],
  ["deleted permanently", ({ withEvents, reads }) => withEvents && reads.length > 0],
  ["Older data is then only in", ({ withEvents, reads }) => !withEvents && reads.length > 0],
];

it("the plan of a prune has notes on what stays and what is lost", () => {
  for (const some of [0, 1, 2])
    for (const withEvents of [false, true])
      for (const key of ["pending", "shared", "heldBack", "straddling", "events", "reads"]) {
        const value = key === "reads" ? Array.from({ length: some }, () => read) : some;
        const plan = { ...nothing, withEvents, [key]: value };
        const text = planText(plan).replaceAll(/\s+/g, " ");
        const found = notes.filter(([begins]) => text.includes(begins));
        const wanted = notes.filter(([, has]) => has(plan));
        expect(found, `${key} ${some} ${withEvents}`).toEqual(wanted);
      }
});

it("the plan of a prune names the deleted events and records, and unchanged ones", () => {
  const rows = (plan: Partial<PrunePlan>): string[] =>
    planText({ ...nothing, ...plan })
      .split("\n")
      .filter((line) => /^ {2}(events|quarantine) /.test(line))
      .map((line) => line.trim().replaceAll(/ +/g, " "));
  expect(rows({})).toEqual(["events 0 events", "quarantine 0 records"]);
  const some = { events: 1, quarantined: 2 };
  expect(rows({ ...some, withEvents: true })).toEqual(["events 1 event", "quarantine 2 records"]);
  expect(rows(some)).toEqual([
    "events none; 1 event of that time retained",
    "quarantine none; 2 records of that time retained",
  ]);
});

it("the plan of a prune counts a window once, from the first to the last day, and files beside them", () => {
  const window = (source: string, day: number) => ({
    ...read,
    source,
    window_start: `2026-02-0${day} 00:00:00.000`,
    window_end: `2026-02-0${day + 1} 00:00:00.000`,
  });
  const reads = [window("a", 3), window("a", 1), window("b", 1), window("a", 3), read];
  const text = planText({ ...nothing, reads, kept: 2, source: "a" });
  expect(text).toMatch(/^data older than 2026-02-25.* of source a\n/);
  expect(text).toMatch(/^ {2}reads +5 of 7$/m);
  expect(text).toMatch(/^ {2}windows +3, 2026-02-01 to 2026-02-04$/m);
  expect(text).toMatch(/^ {2}files +1$/m);
});
