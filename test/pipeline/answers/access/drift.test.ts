import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import { splitDrift } from "../../../../pipeline/answers/access/folder.ts";
import { keepChange } from "../../../../pipeline/answers/access/log.ts";
import type { Target } from "../../../../pipeline/answers/access/target.ts";
import { compareSets } from "../../../../pipeline/core/records/permissions.ts";
import type { PermissionSet } from "../../../../schemas/policies.ts";
import { testWorld } from "../../../support/world.ts";

// Drift is what was changed since a set that auditlake sent was in place, and not what that set itself did.

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "auditlake-drift-"))));
afterEach(() => rmSync(folder, { recursive: true }));

const query = (ids: string): PermissionSet => ({ Databases: [{ operation: "query", ids }] });
const jobs = { Jobs: [{ operation: "run" }] };

/** How many rights the file changes, and how many of drift it would undo, after the set of `2` was sent. */
async function split(
  outcome: string,
  now: PermissionSet,
  file: PermissionSet,
): Promise<{ own: number; drift: number } | undefined> {
  const home = resolveHome(folder);
  await keepChange(home, {
    version: 1,
    change_id: "c1",
    source: "default",
    policy_id: "7",
    sent_at: "2026-03-01T12:00:00.000Z",
    verb: "apply",
    by_whom: "ana",
    api_user: null,
    reason: null,
    before: JSON.stringify({ ...query("1"), ...jobs }),
    after: JSON.stringify(query("2")),
    outcome,
  });
  const target = { id: "7", source: { name: "default" }, settings: { home } } as unknown as Target;
  const found = await splitDrift(target, compareSets(now, file), testWorld());
  const sum = ({
    added,
    removed,
  }: {
    added: readonly unknown[];
    removed: readonly unknown[];
  }): number => added.length + removed.length;
  return found && { own: sum(found.own), drift: sum(found.drift) };
}

it("counts a set as sent by auditlake although the service kept other kinds", async () => {
  const now = { ...query("2"), ...jobs };
  expect(await split("kept_further", now, query("2"))).toEqual({ own: 1, drift: 0 });
  expect(await split("kept_further", now, query("3"))).toEqual({ own: 3, drift: 0 });
  const other = { ...query("2,4"), ...jobs };
  expect(await split("kept_further", other, query("2"))).toEqual({ own: 1, drift: 1 });
});

it("counts a set that is in place, and ignores refused or unsent ones", async () => {
  expect(await split("in_place", query("2,4"), query("3"))).toEqual({ own: 2, drift: 1 });
  for (const outcome of ["refused", "not_sent", "not_in_place", "changed_meanwhile"])
    expect(await split(outcome, query("2"), query("3"))).toBeUndefined();
});
