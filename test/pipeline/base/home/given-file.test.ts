import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import {
  isFolder,
  listGiven,
  readGiven,
  describeUnreadable,
} from "../../../../pipeline/base/home/given-file.ts";
import { newHome } from "../../../support/home.ts";

const { folder, write, [Symbol.dispose]: remove } = newHome();
afterAll(remove);

it("a given file is read, or the reason of the failure is described", () => {
  const file = write("a.sql", "select 1");
  expect(readGiven(file, "the query").toString()).toBe("select 1");
  const refuse = (path: string): string => {
    try {
      return readGiven(path, "the query").toString();
    } catch (error) {
      return (error as Error).message;
    }
  };
  const none = join(folder, "none.sql");
  expect([none, folder, join(file, "b.sql")].map(refuse)).toEqual([
    `cannot read the query ${none}: there is no such file`,
    `cannot read the query ${folder}: it is a folder, expected a file`,
    `cannot read the query ${file}/b.sql: a part of its path is a file, expected a folder`,
  ]);
  expect(describeUnreadable(new Error("the disk is on fire"))).toBe("the disk is on fire");
});

it("a given folder is listed, or the reason of the failure is described", () => {
  const file = write("inside/one.json", "{}");
  expect(listGiven(join(folder, "inside"))).toEqual(["one.json"]);
  const none = join(folder, "nowhere");
  expect(() => listGiven(none)).toThrow(`cannot read ${none}: there is no such folder`);
  expect(() => listGiven(file)).toThrow(`cannot read ${file}: it is a file, expected a folder`);
});

it("distinguishes folders, files and missing paths", () => {
  expect([folder, write("b", ""), join(folder, "none")].map(isFolder)).toEqual([
    true,
    false,
    false,
  ]);
});
