import { type Command, Option, InvalidArgumentError } from "commander";
import { exitCode } from "../base/errors.ts";
import type { GlobalFlags } from "../base/home/settings.ts";
import { openAhead } from "../answers/status/open-ahead.ts";
import { type Failure, failures } from "../answers/status/fail-on.ts";
import type { World } from "../base/world.ts";

type Flags = {
  readonly json?: true;
  readonly format: "text" | "json" | "prometheus";
  readonly failOn?: readonly Failure[];
};

const notes = `
All times are UTC. A window is final when two reads after it closed agree and evidence confirms its end.

Values of --fail-on, separated by commas:
  gaps         times that no read could cover, or that left the scheduled range without being final
  quarantine   unreadable records in the last run, or in an interrupted run right before it
  unfinalized  windows still closed after two scheduled runs, or, without a scheduled ingest,
               48 h after they closed
  drift        policies whose last snapshot contradicts the log

Examples:
  auditlake status
  auditlake status --fail-on gaps,quarantine,unfinalized
  auditlake status --json | jq .sources[].warnings
  auditlake status --format prometheus > /var/lib/node_exporter/auditlake.prom`;

/** Registers `status`: how the pipeline is doing, read from the published file alone. */
export function status(program: Command, world: World): void {
  program
    .command("status")
    .description("show completeness, runs, coverage gaps, late data, sizes and errors")
    .option("--json", "print one JSON object")
    .addOption(
      new Option("--format <format>", "output format")
        .choices(["text", "json", "prometheus"])
        .default("text"),
    )
    .addOption(
      new Option(
        "--fail-on <list>",
        `end with exit code ${exitCode.findings} on any of these: ${failures.join(",")}`,
      ).argParser(parseFailures),
    )
    .addHelpText("after", notes)
    .action(async (given: Flags, command: Command) => {
      const { failOn = [] } = given;
      const wanted = { failOn, format: given.json ? ("json" as const) : given.format };
      const ahead = openAhead(command.optsWithGlobals<GlobalFlags>(), world);
      // Loads the modules for validation, query and output while the database opens.
      const { answer } = await import("./status/answer.ts");
      return await answer(wanted, command, ahead, world);
    });
}

// Throws InvalidArgumentError for an unknown name.
function parseFailures(text: string): Failure[] {
  const names = text.split(",").map((name) => name.trim());
  const wrong = names.find((name) => !(failures as readonly string[]).includes(name));
  if (wrong !== undefined)
    throw new InvalidArgumentError(`found "${wrong}"; expected some of ${failures.join(",")}.`);
  return names as Failure[];
}
