import type { Command } from "commander";
import { askAt, type IdsOf, type MomentFlags } from "../answers/ask/at-moment.ts";
import { readSettings } from "../base/home/settings.ts";
import type { World } from "../base/world.ts";
import { withOutput } from "./output-flags.ts";

/** Adds `--on`, `--timezone` and the flags of the output. */
export function withMoment(command: Command): Command {
  return withOutput(command)
    .option(
      "--on <time>",
      "moment: date, month or yesterday (its end), RFC 3339 time, 7d (default: now)",
    )
    .option("--timezone <zone>", "time zone of dates", "UTC");
}

/** Runs a query of queries/access for a command; resolves to the number of all rows. */
export function askPublished(
  name: string,
  idsOf: IdsOf,
  flags: MomentFlags,
  command: Command,
  world: World,
): Promise<number> {
  return askAt(name, idsOf, flags, readSettings(command.optsWithGlobals(), world), world);
}
