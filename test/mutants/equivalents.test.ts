import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { projectPath } from "../docs/pages.ts";
import { equivalents } from "./equivalents.ts";

it("lists as equivalent only changes of lines that exist in the code, each with its reason", () => {
  const stale = equivalents.filter(({ file, from, to, why }) => {
    const path = projectPath(file);
    const isThere = existsSync(path) && readFileSync(path, "utf8").includes(from.split("\n")[0]!);
    return !isThere || from === to || why.length < 20;
  });
  expect(stale).toEqual([]);
});
