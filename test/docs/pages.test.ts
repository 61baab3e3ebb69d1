import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { commit, commandsPage, projectPath, reportsPage } from "./pages.ts";
import { findReports } from "../../pipeline/base/report/find.ts";
import { loadWholeProgram } from "../../pipeline/cli/program.ts";
import { verbs } from "../../pipeline/cli/verbs.ts";
import { run } from "../support/command.ts";
import { testWorld } from "../support/world.ts";

const hint = "run make generate";

test("docs/commands.md contains the help of every command", async () => {
  const page = await commandsPage();
  expect(commit("docs/commands.md", page), hint).toBe(page);
});

test("docs/reports.md lists every report", () => {
  const page = reportsPage();
  expect(commit("docs/reports.md", page), hint).toBe(page);
});

test("the README names every family of reports", () => {
  const { reports } = findReports();
  const families = [...new Set(reports.map(({ family }) => `\`${family}\``))].sort();
  const all = `${families.slice(0, -1).join(", ")} and ${families.at(-1)!}`;
  expect(readFileSync(projectPath("README.md"), "utf8")).toContain(
    `Reports in the families ${all},`,
  );
});

test("the program's help describes each command as the command does", async () => {
  const { out } = await run(["--help"]);
  const whole = await loadWholeProgram(testWorld());
  const help = whole.createHelp();
  const listed = whole.commands.map((verb) => [
    verb.name(),
    help.subcommandTerm(verb),
    verb.description(),
  ]);
  expect(listed).toEqual(Object.entries(verbs).map(([name, { term, does }]) => [name, term, does]));
  for (const { term } of Object.values(verbs)) expect(out).toContain(`\n  ${term} `);
});
