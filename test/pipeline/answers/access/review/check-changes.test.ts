import { expect, test } from "vitest";
import { resolveHome } from "../../../../../pipeline/base/home/layout.ts";
import { listChanges } from "../../../../../pipeline/answers/access/log.ts";
import {
  checkChanges,
  sendChanges,
  type PolicyChange,
} from "../../../../../pipeline/answers/access/review/check-changes.ts";
import type {
  Decision,
  Review,
} from "../../../../../pipeline/answers/access/review/stored-decisions.ts";
import type { Client } from "../../../../../pipeline/core/source/client.ts";
import { MissingError } from "../../../../../pipeline/core/source/faults.ts";
import { temporaryFolder } from "../../../../support/load.ts";
import { testWorld } from "../../../../support/world.ts";

const ids = ["1", "2", "3", "4"];

// A service of which one policy cannot be read; the others hold nothing that a review would take.
function changesWith(broken: string): PolicyChange[] {
  const get = async (path: string, _: object, read: (answer: { body: Buffer }) => unknown) => {
    await Promise.resolve();
    if (path.includes(`/${broken}/`)) throw new Error("the service is gone");
    return read({ body: Buffer.from('{"Databases":[{"operation":"query","ids":"1"}]}') });
  };
  const target = {
    client: { get } as unknown as Client,
    settings: { flags: {} },
    source: { name: "default" },
  };
  return ids.map((id) => ({ target: { ...target, id }, taken: [] })) as unknown as PolicyChange[];
}

test.each(ids.map((id, at) => [id, ids.slice(at + 1)] as const))(
  "if sending stops at policy %s, the unsent ones are named: %j",
  async (broken, left) => {
    const world = testWorld();
    const review = { review_id: "R1" } as Review;
    const sent = sendChanges(changesWith(broken), review, new Map(), { yes: true }, world);
    await expect(sent).rejects.toThrow("the service is gone");
    const warnings = world
      .err()
      .split("\n")
      .filter((line) => line.startsWith("warning: unchanged"));
    expect(warnings).toEqual(
      left.length === 0 ? [] : [`warning: unchanged: policies ${left.join(", ")}`],
    );
  },
);

test.each([1, 3, 4, 6])(
  "of %i changed policies three are named and the others counted",
  async (n) => {
    const moved = Array.from({ length: n }, (_, i) => [String(i + 1), []] as const);
    const get = () => Promise.reject(new MissingError("404"));
    const ground = { client: { get } } as unknown as Parameters<typeof checkChanges>[3];
    const plan = { taken: new Map(moved), steps: [], waiting: [], gone: [] };
    const review = { items: [], policies: {} } as unknown as Review;
    const reviewed = { review, holdings: [], decisions: new Map() };
    const named = moved.slice(0, 3).map(([id]) => `policy ${id} no longer exists`);
    const others = n > 3 ? ` (and ${n - 3} more policies)` : "";
    await expect(checkChanges(plan, reviewed, {}, ground)).rejects.toThrow(
      `after the review was exported: ${named.join("; ")}${others}; nothing was sent`,
    );
  },
);

const decide = (row: string, reason: string, reviewer: string): Decision => ({
  row,
  decision: "revoke",
  reason,
  reviewer,
  date: "2026-01-02",
});

test.each([
  [[decide("r1", "", "ann")], "review R1 by ann"],
  [[decide("r1", "left", "ann"), decide("r2", "left", "bob")], "review R1 by ann, bob: left"],
  [[decide("r1", "left", "ann"), decide("r2", "unused", "ann")], "review R1 by ann: left, unused"],
])("a change is stored with its author and reason: %j", async (decisions, reason) => {
  const { path, remove } = temporaryFolder();
  try {
    const [change] = changesWith("none");
    const body = Buffer.from('{"Databases":[{"operation":"query","ids":"1,2"}]}');
    const client = {
      get: (_path: string, _: object, read: (answer: object) => unknown) =>
        Promise.resolve(read({ body })),
      patch: () => Promise.reject(new Error("the service is gone")),
    };
    const settings = { flags: { quiet: true }, home: resolveHome(path), config: { policies: {} } };
    const target = { ...change!.target, client, settings };
    const items = decisions.map(({ row }) => ({ row }));
    const changes = [{ target, taken: [{ operation: "query", id: "1", items }] }];
    const byRow = new Map(decisions.map((one) => [one.row, one]));
    const review = { review_id: "R1" } as Review;
    const sent = sendChanges(changes as never, review, byRow, { yes: true }, testWorld());
    await expect(sent).rejects.toThrow("the service is gone");
    expect(listChanges(resolveHome(path)).map((kept) => kept.reason)).toEqual([reason]);
  } finally {
    remove();
  }
});
