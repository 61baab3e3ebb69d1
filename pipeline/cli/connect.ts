import { Argument, type Command } from "commander";
import { readSettings } from "../base/home/settings.ts";
import { requirePublished } from "../base/home/published.ts";
import type { World } from "../base/world.ts";
import { type Program, programs, ways } from "./connect/ways.ts";
import { plainPrinter } from "../base/terminal/printer.ts";

const titles: Readonly<Record<Program, string>> = {
  duckdb: "The DuckDB shell",
  python: "Python",
  r: "R",
  node: "Node",
  jdbc: "A BI tool, by JDBC",
};

const notes = `
The file is replaced as a whole after each load; whoever has it open keeps what they
opened, so open it anew for newer data. Times are UTC.

Examples:
  auditlake connect
  auditlake connect python > look.py`;

/** Registers `connect`: how other programs open the published data. */
export function connect(program: Command, world: World): void {
  program
    .command("connect")
    .description("print how to open the published data in other programs")
    .addArgument(new Argument("[program]", "only this one").choices(programs))
    .addHelpText("after", notes)
    .action((name: Program | undefined, _flags: unknown, command: Command) => {
      const { home, flags } = readSettings(command.optsWithGlobals(), world);
      requirePublished(home.published);
      if (name !== undefined) return void world.stdout.write(ways[name](home.published));
      const parts = programs.map(
        (each) => `${titles[each]}\n\n${indented(ways[each](home.published))}`,
      );
      world.stdout.write(parts.join("\n"));
      plainPrinter(world, flags)("\nauditlake connect PROGRAM prints one of them to run");
    });
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, "    ");
}
