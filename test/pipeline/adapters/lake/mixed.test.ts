import { expect, it } from "vitest";
import type { Kept } from "../../../../pipeline/adapters/lake/kept.ts";
import type { AddFile } from "../../../../pipeline/adapters/lake/log.ts";
import { isMixed, withMixed } from "../../../../pipeline/adapters/lake/mixed.ts";
import { nothing } from "../../../../pipeline/adapters/lake/put.ts";
import { tag } from "../../../../pipeline/adapters/lake/snapshot.ts";
import type { LakeTable } from "../../../../pipeline/adapters/lake/tables.ts";

const keyed = { key: ["id"] } as unknown as LakeTable;
const kept = { ofAll: "2026-03-04 00:00:00" } as Kept;
const file = (look: string): AddFile => ({ tags: { [tag.look]: look } }) as unknown as AddFile;

it.each<[what: string, table: LakeTable, day: string, look: string, is: boolean]>([
  ["that all sources were pruned of", keyed, "2026-03-03", "l", false],
  ["that some source was not pruned of", keyed, "2026-03-04", "l", true],
  ["that was looked at before", keyed, "2026-03-04", nothing, false],
  ["of a table whose rows have no key", {} as LakeTable, "2026-03-04", "l", false],
  ["of a table that is kept whole", keyed, "", "l", false],
])("a day %s is, or is not, looked at once", (_, table, day, look, is) => {
  expect(isMixed(kept, table, day, new Map([[day, [file(look)]]]))).toBe(is);
});

it("a table that is kept whole is not looked at either where no source was pruned", () => {
  expect(isMixed({ ofAll: "" } as Kept, keyed, "", new Map([["", [file("l")]]]))).toBe(false);
});

it("what is written for another reason neither goes nor stays, and is written once", () => {
  const changes = { written: ["5", "2"], gone: ["3", "4"], frozen: ["1", "6"] };
  expect(withMixed(changes, ["4", "5"], (day) => day === "1")).toEqual({
    written: ["1", "2", "4", "5"],
    gone: ["3"],
    frozen: ["6"],
  });
  const none = { written: ["2"], gone: ["3"], frozen: ["1"] };
  expect(withMixed(none, [], () => false)).toEqual(none);
});
