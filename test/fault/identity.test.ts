import { expect, test } from "vitest";
import { expectFigure } from "./expect-figure.ts";
import { identityFigure } from "./identity.ts";
import type { Group } from "./identity/groups.ts";
import { differences, listEvents } from "./identity/oracle.ts";
import { groupsFor } from "./identity/trial.ts";

test("equal records are stored as often as one read returned them", { timeout: 600_000 }, () =>
  expectFigure(identityFigure, 1),
);

// The results of other rules of identity for the same groups.
const asOneRead = (
  groups: readonly Group[],
  of: (group: Group) => Group["reads"][number],
): Group[] => groups.map((group) => ({ ...group, reads: [of(group)] }));
const otherRules: readonly (readonly [string, (groups: readonly Group[]) => Group[], string])[] = [
  [
    "the last read replaces those before",
    (g) => asOneRead(g, ({ reads }) => reads.at(-1)!),
    "hidden",
  ],
  ["each read adds what it shows", (g) => asOneRead(g, ({ reads }) => reads.flat()), "doubled"],
  [
    "an id and its known content are one event",
    (g) =>
      g.map((x) => ({ ...x, reads: x.reads.map((r) => r.map((s) => ({ ...s, unknown: 1 }))) })),
    "hidden",
  ],
  ["every record is an event", (g) => g.map((x) => ({ ...x, id: undefined })), "doubled"],
];

test.each(otherRules)("the oracle detects that %s", (_rule, changed, word) => {
  const groups = groupsFor(1);
  const wrong = differences(listEvents(groups), listEvents(changed(groups)));
  expect(wrong.filter((line) => line.includes(` ${word}: `)).length).toBeGreaterThan(50);
});
