import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, it } from "vitest";
import { projectPath } from "./docs/pages.ts";

// A command reads flags and prints. What it asks the database, and what it does under the lock, is in a lower layer.

const root = projectPath("pipeline");
const below = /^(?:core\/store\/(?!delivery-runs)|base\/sql\/|base\/home\/lock\.ts$)/;

it("keeps the database, SQL and the lock out of commands, including their types", () => {
  const files = globSync("cli/**/*.ts", {
    cwd: root,
    exclude: (path) => /^cli\/(?:doctor|init)(?:\/|$)/.test(path),
  });
  const wrong = files.flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    return [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g)]
      .map(([, path]) => normalize(join(dirname(file), path!)))
      .filter((used) => below.test(used))
      .map((used) => `${file} uses ${used}`);
  });
  expect(files.length).toBeGreaterThan(40);
  expect(wrong).toEqual([]);
});
