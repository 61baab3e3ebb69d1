import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { loadWholeProgram } from "../../pipeline/cli/program.ts";
import { describeParam } from "../../pipeline/base/report/params.ts";
import { findReports } from "../../pipeline/base/report/find.ts";
import { testWorld } from "../support/world.ts";

const root = new URL("../../", import.meta.url);

/** The absolute path of a file of the project. */
export function projectPath(path: string): string {
  return fileURLToPath(new URL(path, root));
}

/** Returns the committed page; with UPDATE_DOCS=1 it is rewritten first. */
export function commit(path: string, text: string): string {
  const file = projectPath(path);
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(file, text);
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

/** Every verb's help, as docs/commands.md shows it. */
export async function commandsPage(): Promise<string> {
  const program = await loadWholeProgram(testWorld());
  const pages = program.commands.flatMap((command) =>
    listHelp(command, `auditlake ${command.name()}`),
  );
  return ["# Commands", "", "Made from `--help` by `make generate`.", ...pages, ""].join("\n");
}

function listHelp(command: Command, name: string): string[] {
  let text = "";
  command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => 96 });
  command.outputHelp();
  const own = ["", `## ${name}`, "", "```", text.trimEnd(), "```"];
  return [...own, ...command.commands.flatMap((sub) => listHelp(sub, `${name} ${sub.name()}`))];
}

/** Every report with its question and parameters, as docs/reports.md shows it. */
export function reportsPage(): string {
  const { reports } = findReports();
  const families = [...new Set(reports.map((report) => report.family))].sort();
  const sections = families.flatMap((family) => [
    "",
    `## ${family}`,
    "",
    "| report | question | one row per | parameters |",
    "|---|---|---|---|",
    ...reports.filter((report) => report.family === family).map(getRow),
  ]);
  return [
    "# Reports",
    "",
    "Made from the headers of `queries/reports` by `make generate`. Each has a column `source`, and `--source NAME` makes it speak of one source alone.",
    ...sections,
    "",
  ].join("\n");
}

function getRow(report: ReturnType<typeof findReports>["reports"][number]): string {
  const parameters = report.params.map(
    (p) => `\`${p.name}\` ${describeParam(p).slice(p.name.length + 1)}`,
  );
  const grain = report.grain.replace(/^one row per /, "");
  return `| \`${report.name}\` | ${report.question ?? report.title} | ${grain} | ${parameters.join(", ")} |`;
}
