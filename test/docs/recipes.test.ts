import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { projectPath } from "./pages.ts";
import { blocks, change } from "./recipes.ts";

// That the recipes of CONTRIBUTING.md fit the tree; the laboratory carries them out (test/fault/recipes.test.ts).

test("each change of a recipe matches its lines exactly once, after the changes before it", () => {
  const texts = new Map<string, string>();
  for (const { kind, file, text } of blocks) {
    const before =
      texts.get(file) ?? (kind === "diff" ? readFileSync(projectPath(file), "utf8") : "");
    texts.set(file, kind === "diff" ? change(file, before, text) : text);
  }
  expect(texts.size).toBeGreaterThan(8);
});

test("each file of a recipe does not exist yet", () => {
  const files = blocks.filter(({ kind }) => kind !== "diff").map(({ file }) => file);
  expect(files.length).toBeGreaterThan(3);
  expect(files.filter((file) => existsSync(projectPath(file)))).toEqual([]);
});
