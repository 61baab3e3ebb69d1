import { Argument, type Command } from "commander";
import { contract } from "../../schemas/generated/contract.ts";
import { findReports } from "../answers/report/find.ts";
import type { World } from "../base/world.ts";
import { completionScript, placesOf, type Shell, shells } from "./completion/script.ts";

const notes = `
Examples:
  auditlake completion bash > ~/.local/share/bash-completion/completions/auditlake
  auditlake completion zsh >> ~/.zshrc
  auditlake completion fish > ~/.config/fish/completions/auditlake.fish`;

/** Registers `completion`: a script that completes verbs, options, and names of reports and tables. */
export function completion(program: Command, world: World): void {
  program
    .command("completion")
    .description("print what completes this command line in a shell")
    .addArgument(new Argument("<shell>", "your shell").choices(shells))
    .addHelpText("after", notes)
    .action((shell: Shell) => {
      const names = {
        reports: findReports().reports.map(({ name }) => name),
        tables: contract.map(({ name }) => name),
      };
      world.stdout.write(completionScript(shell, placesOf(program, names)));
    });
}
