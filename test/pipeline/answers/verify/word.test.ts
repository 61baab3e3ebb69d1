import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { projectPath } from "../../../docs/pages.ts";

// One result alone may be called so. Its help and the page on evidence explain it.
const explaining = [
  "docs/commands.md",
  "docs/evidence.md",
  "pipeline/answers/verify/verdict.ts",
  "pipeline/answers/verify/verify.ts",
  "pipeline/cli/verify.ts",
];

test("only verify uses the word proven", () => {
  const files = globSync(
    ["{pipeline,queries,schemas,docs}/**/*.{ts,mjs,js,sql,json,md,css}", "*.md"],
    {
      cwd: projectPath("."),
      exclude: (path) => path.includes("bundle"),
    },
  );
  const saying = files.filter((file) =>
    /\bproven\b/i.test(readFileSync(projectPath(file), "utf8")),
  );
  expect(files.length).toBeGreaterThan(900);
  expect(saying.filter((file) => !explaining.includes(file)).toSorted()).toEqual([]);
});
