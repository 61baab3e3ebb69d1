import { expect, test } from "vitest";
import { type Item, buildKey } from "../../../../../pipeline/answers/access/review/item.ts";
import type { Decision } from "../../../../../pipeline/answers/access/review/stored-decisions.ts";
import {
  planDecisions,
  type Plan,
} from "../../../../../pipeline/answers/access/review/plan-decisions.ts";
import { right } from "./right.ts";

// The consequences of decisions: rights that policies lose, manual steps, and rows that wait.

type Word = Decision["decision"];
type Decided = readonly [more: Partial<Item>, word: Word, isHeld?: boolean];

/** The plan of rows that are decided so; each is named by its place, from 0. */
function plan(rows: readonly Decided[]): Plan {
  const items = rows.map(([more], i): Item => ({ ...right, ...more, row: `${i}` }));
  const decisions = new Map(
    rows.map(([, decision], i) => [`${i}`, { row: `${i}`, decision } as Decision]),
  );
  const held = new Set(items.filter((_, i) => rows[i]![2] !== false).map(buildKey));
  return planDecisions(items, decisions, (key) => held.has(key));
}

const listRows = (items: readonly Item[]): string => items.map(({ row }) => row).join();

/** Lists by rows what is revoked from policies, the steps, what waits for what, and what disappeared. */
function briefly({ taken, steps, waiting, gone }: Plan): Record<string, string[]> {
  return {
    taken: [...taken].flatMap(([policy, all]) =>
      all.map(({ operation, id, items }) => `${policy} ${operation} ${id}: ${listRows(items)}`),
    ),
    steps: steps.map(({ items, operation }) => `${listRows(items)}: ${operation}`),
    waiting: waiting.map(({ item, undecided }) => `${item.row} for ${listRows(undecided)}`),
    gone: gone.map(({ row }) => row),
  };
}

const nothing = { taken: [], steps: [], waiting: [], gone: [] };
const bob = { userId: "21", person: "bob@example.com" };
const detach = (user: string): string => `DELETE /v4/access_control/users/${user}/policies/7`;

test.each<[what: string, rows: Decided[], expected: Record<string, string[]>]>([
  [
    "that all keep stays",
    [
      [{}, "keep"],
      [bob, "keep"],
    ],
    {},
  ],
  [
    "that all lose is taken from the policy",
    [
      [{}, "revoke"],
      [bob, "revoke"],
    ],
    { taken: ["7 query 5: 0,1"] },
  ],
  [
    "that one keeps is taken by the membership",
    [
      [{}, "revoke"],
      [bob, "keep"],
    ],
    { steps: [`0: ${detach("20")}`] },
  ],
  [
    "that one is not decided on waits",
    [
      [{}, "revoke"],
      [bob, null],
    ],
    { waiting: ["0 for 1"] },
  ],
  [
    "without a decision stays",
    [
      [{}, null],
      [bob, null],
    ],
    {},
  ],
  [
    "that is not held any more is gone",
    [
      [{}, "revoke", false],
      [bob, "keep", false],
    ],
    { gone: ["0"] },
  ],
  [
    "of another kind is set by hand",
    [[{ kind: "Workflows", operation: "run" }, "revoke"]],
    { steps: ["0: PATCH /v4/access_control/policies/7/permissions"] },
  ],
  [
    "that the reference does not name is set by hand",
    [[{ operation: "levitate" }, "revoke"]],
    { steps: ["0: PATCH /v4/access_control/policies/7/permissions"] },
  ],
  [
    "of a database is another one than that of the next",
    [
      [{}, "revoke"],
      [{ objectId: "6" }, "keep"],
      [{ operation: "import" }, "revoke"],
    ],
    { taken: ["7 query 5: 0", "7 import 5: 2"] },
  ],
])("a revoked right %s", (_, rows, expected) => {
  expect(briefly(plan(rows))).toEqual({ ...nothing, ...expected });
});

test("a membership that ends revokes the listed rights, except those that end anyway", () => {
  const other = { objectId: "6", objectName: "till" };
  const notes = (rows: readonly Decided[]): string[] => plan(rows).steps.map(({ note }) => note);
  const lost: Decided = [{}, "revoke"];
  const stays: Decided = [bob, "keep"];
  expect(notes([lost, stays])).toEqual([""]);
  expect(notes([lost, stays, [other, "keep"]])).toEqual([
    expect.stringMatching(/^also removes .*till.*; grant that in another way first$/),
  ]);
  expect(notes([lost, stays, [other, "revoke"], [{ ...other, ...bob }, "keep"]])).toEqual([""]);
  for (const more of [{ way: "share" }, { policyId: "8" }, bob])
    expect(notes([lost, stays, [{ ...other, ...more }, "keep"]])).toEqual([""]);
});

test.each<[way: string, more: Partial<Item>, operation: string, note: string]>([
  ["set", {}, "PATCH /v4/access_control/users/20/permissions", "send the rest of the set"],
  ["share", {}, "PUT /databases/5/share", ""],
  ["flag", { kind: "Account", objectId: null }, "PATCH /v4/users/20", ""],
  ["member", { kind: "Policies", objectId: "7" }, detach("20"), ""],
  ["member", { kind: "Roles", objectId: "3" }, "DELETE /v4/roles", ""],
])("a right that a %s has is revoked by a separate step", (way, more, operation, note) => {
  const { steps } = plan([[{ way, policyId: null, ...more }, "revoke"]]);
  expect(steps.map((step) => [step.operation, step.note])).toEqual([[operation, note]]);
});
