import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { readSql, splitStatements } from "../../../../pipeline/base/sql/statements.ts";
import { projectPath } from "../../../docs/pages.ts";

it("a file with named statements returns the text of one of them", () => {
  expect(readSql("queries/load/rows.sql#staged_counts")).toMatch(
    /^-- How many [^]*order by page;\n\n$/,
  );
  expect(() => readSql("queries/load/rows.sql#none")).toThrow("has no statement none");
});

it("a semicolon at the end of a comment ends no statement", () => {
  const [first, second] = ["with\n-- One;\n  -- two;\na as (select 1)\nfrom a", "select ';' ;"];
  expect(splitStatements(`${first};\n${second}\n-- Three;\n`)).toEqual([first, "select ';' "]);
});

it("each statement that code names exists", () => {
  const named = globSync("{pipeline,test}/**/*.ts", { cwd: projectPath(".") })
    .flatMap(
      (file) => readFileSync(projectPath(file), "utf8").match(/queries\/[\w/]+\.sql#\w+/g) ?? [],
    )
    .filter((path) => !/_$|#none$/.test(path));
  expect(named.length).toBeGreaterThan(40);
  for (const path of named) expect(readSql(path).trim()).not.toBe("");
});
