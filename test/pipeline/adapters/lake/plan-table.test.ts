import { expect, it } from "vitest";
import {
  findChanges,
  relabelFiles,
  listSuspects,
} from "../../../../pipeline/adapters/lake/plan-table.ts";
import type { AddFile } from "../../../../pipeline/adapters/lake/log.ts";
import {
  groupOwnFiles,
  type Snapshot,
  tag,
  readTag,
} from "../../../../pipeline/adapters/lake/snapshot.ts";

const file = (day: string | undefined, tags?: Record<string, string>, path = ""): AddFile => ({
  path,
  partitionValues: day === undefined ? {} : { event_date: day },
  size: 1,
  modificationTime: 0,
  dataChange: true,
  ...(tags === undefined ? {} : { tags }),
});

it("files of an ingester are listed by their day, and those of others are ignored", () => {
  const mine = { [tag.ingester]: "me" };
  const files = [
    file("2026-03-01", mine, "a"),
    file("2026-03-01", mine, "b"),
    file("2026-03-02", { [tag.ingester]: "other" }, "c"),
    file("2026-03-02", undefined, "d"),
    file(undefined, mine, "e"),
  ];
  const snapshot = { files: new Map(files.map((one) => [one.path, one])) } as unknown as Snapshot;
  const pathsIn = (column: string | undefined): unknown =>
    [...groupOwnFiles(snapshot, "me", column)].map(([day, own]) => [
      day,
      own.map(({ path }) => path),
    ]);
  expect(pathsIn("event_date")).toEqual([
    ["2026-03-01", ["a", "b"]],
    ["", ["e"]],
  ]);
  expect(pathsIn(undefined)).toEqual([["", ["a", "b", "e"]]]);
});

it("a tag of a day is what all of its files state", () => {
  const of = (...values: (string | undefined)[]): string | undefined =>
    readTag(
      values.map((value) => file("", value === undefined ? undefined : { x: value })),
      "x",
    );
  expect([of("1"), of("1", "1"), of("1", "2"), of("1", undefined), of()]).toEqual([
    "1",
    "1",
    undefined,
    undefined,
    undefined,
  ]);
  expect(readTag(undefined, "x")).toBeUndefined();
});

it("days are compared if they look different, have other columns, or are missing", () => {
  const put = (look: string, digest: string): AddFile[] => [
    file("", { [tag.look]: look, [tag.digest]: digest }),
  ];
  const own = new Map([
    ["same", put("1", "abc.form")],
    ["other look", put("2", "abc.form")],
    ["other form", put("1", "abc.former")],
    ["no digest", [file("", { [tag.look]: "1" })]],
  ]);
  const looks = new Map([...own.keys(), "new"].map((day) => [day, "1"]));
  expect(listSuspects(own, looks, ".form")).toEqual([
    "other look",
    "other form",
    "no digest",
    "new",
  ]);
});

it("days differ, are deleted, or are frozen", () => {
  const own = new Map(
    ["6", "5", "4", "3", "2"].map((day) => [day, [file(day, { [tag.digest]: `d${day}` })]]),
  );
  const digests = new Map([
    ["3", "other"],
    ["2", "d2"],
    ["1", "d1"],
  ]);
  const looks = new Map(["1", "2", "3"].map((day) => [day, "look"]));
  const isPruned = (day: string): boolean => day === "5" || day === "4";
  expect(findChanges(own, { digests, looks }, new Set(), isPruned)).toEqual({
    written: ["1", "3"],
    gone: ["6"],
  });
  expect(findChanges(own, { digests, looks }, new Set(["2"]), () => false)).toEqual({
    written: ["1", "2", "3"],
    gone: ["4", "5", "6"],
  });
});

const label = (digest: string, look: string): AddFile => ({
  ...file("", { [tag.digest]: digest, [tag.look]: look }, `${digest}-${look}`),
  dataChange: true,
});

it("files with the same content and another format are relabeled, unless they are rewritten", () => {
  const own = new Map([
    ["same", [label("d", "new")]],
    ["looks otherwise", [label("d", "old"), label("d", "old")]],
    ["holds otherwise", [label("other", "old")]],
    ["written", [label("d", "old")]],
  ]);
  const days = [...own.keys(), "not there"];
  const found = {
    looks: new Map(days.map((day) => [day, "new"])),
    digests: new Map(days.map((day) => [day, "d"])),
  };
  const relabeled = { ...label("d", "new"), path: "d-old", dataChange: false };
  expect(relabelFiles(own, found, ["written"])).toEqual([relabeled, relabeled]);
});
