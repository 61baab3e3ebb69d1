import { expect, it } from "vitest";
import { relabelled, tagsOf } from "../../../../pipeline/adapters/lake/labels.ts";
import type { AddFile } from "../../../../pipeline/adapters/lake/log.ts";
import { tag } from "../../../../pipeline/adapters/lake/snapshot.ts";

const file = (digest: string, look: string): AddFile =>
  ({
    path: `${digest}-${look}`,
    dataChange: true,
    tags: { [tag.ingester]: "me", [tag.digest]: digest, [tag.look]: look },
  }) as unknown as AddFile;

it.each<[what: string, here: { look?: string; digest?: string }, digest: string, look: string]>([
  ["that was looked at closely says what it holds", { look: "l2", digest: "d2" }, "d2", "l2"],
  ["that looks as it did says what it said", { look: "l1" }, "d1", "l1"],
  ["that the database has nothing of says so", {}, "0", "0"],
])("a day %s", (_, here, digest, look) => {
  const own = new Map([["day", [file("d1", "l1")]]]);
  const found = {
    looks: new Map(here.look === undefined ? [] : [["day", here.look]]),
    digests: new Map(here.digest === undefined ? [] : [["day", here.digest]]),
  };
  expect(tagsOf(found, own)("day")).toEqual({ [tag.digest]: digest, [tag.look]: look });
});

it("a day that is put there for the first time holds what is not known of it", () => {
  const found = { looks: new Map([["day", "l1"]]), digests: new Map() };
  expect(tagsOf(found, new Map())("day")).toEqual({ [tag.digest]: "0", [tag.look]: "l1" });
});

it("files that hold the same and look otherwise take on the new look, unless they are written anew", () => {
  const own = new Map([
    ["same", [file("d", "new")]],
    ["looks otherwise", [file("d", "old"), file("d", "old")]],
    ["holds otherwise", [file("other", "old")]],
    ["written", [file("d", "old")]],
  ]);
  const days = [...own.keys(), "not there"];
  const found = {
    looks: new Map(days.map((day) => [day, "new"])),
    digests: new Map(days.map((day) => [day, "d"])),
  };
  const told = { ...file("d", "new"), path: "d-old", dataChange: false };
  expect(relabelled(own, found, ["written"])).toEqual([told, told]);
});
