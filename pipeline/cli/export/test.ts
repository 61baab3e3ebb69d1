import { type Command, Option } from "commander";
import { printable } from "../../base/printable.ts";
import { findTarget, tryTo } from "../../work/deliveries/target.ts";
import { readSettings, type Settings } from "../../base/home/settings.ts";
import { UsageError } from "../../base/errors.ts";
import type { World } from "../../base/world.ts";
import { configured, fromWorkflow, tryActivation } from "../../work/activations/chosen.ts";
import { resultTarget } from "./result.ts";
import { plainPrinter } from "../../base/terminal/printer.ts";

type Flags = {
  readonly result?: string;
  readonly activation?: string;
  readonly fromWorkflow?: string;
  readonly sendNothing?: true;
};

/** Registers `export test`. */
export function addTest(verb: Command, world: World): void {
  verb
    .command("test")
    .description("sign in to a target and check that what it needs is there")
    .argument("[target]", "a target of the configuration")
    .addOption(new Option("--result <json>", "the target itself, as for export"))
    .option("--activation <name>", "the connectors of an activation, as its mappings set them up")
    .option("--from-workflow <file>", "the same, of an activation in a workflow file (YAML)")
    .option("--send-nothing", "of a webhook: only see whether somebody answers")
    .addHelpText(
      "after",
      `
Nothing is made, and nothing is sent, but to a webhook one row that says it is a test.
It ends with 0 where a delivery would find all that it needs, and says "yes".

Examples:
  auditlake export test lake
  auditlake export test hook --send-nothing
  auditlake export test --activation new_denials`,
    )
    .action(async (name: string | undefined, own: Flags, command: Command) => {
      // A flag that `export` has, too, is taken by `export`, so it is read from there.
      const flags = { ...own, ...command.optsWithGlobals<Flags>() };
      const tried = triedOf(name, flags, readSettings(command.optsWithGlobals(), world), world);
      for (const line of await tried.lines(flags.sendNothing !== true))
        world.stdout.write(`${tried.name}: ${printable(line)}\n`);
      world.stdout.write(`${tried.name}: yes, a delivery would find what it needs\n`);
    });
}

/** What is tried: its name, and what a trial that may send a row finds. */
type Tried = {
  readonly name: string;
  readonly lines: (sends: boolean) => Promise<readonly string[]>;
};

function triedOf(
  target: string | undefined,
  flags: Flags,
  settings: Settings,
  world: World,
): Tried {
  const { result, activation, fromWorkflow: file } = flags;
  const given = [target, result, activation, file].filter((each) => each !== undefined);
  if (given.length !== 1) throw whichTarget(settings);
  if (activation === undefined && file === undefined)
    return triedTarget(target, result, settings, world);
  const print = plainPrinter(world, settings.flags);
  const named =
    file === undefined
      ? configured(activation, settings)
      : fromWorkflow(file, undefined, settings, print);
  return { name: named.name, lines: (sends) => tryActivation(named, sends, settings, world) };
}

function triedTarget(
  target: string | undefined,
  result: string | undefined,
  own: Settings,
  world: World,
): Tried {
  const { settings, name } =
    result === undefined ? { settings: own, name: target! } : resultTarget(result, own);
  return { name, lines: (sends) => tryTo(findTarget(settings, name), sends, settings, world) };
}

function whichTarget({ config: { targets, activations } }: Settings): UsageError {
  const known = (all: object): string => Object.keys(all).join(", ") || "none";
  return new UsageError(
    `which target? expected one of: its name, --result, --activation, --from-workflow; known targets: ${known(targets)}; activations: ${known(activations)}`,
  );
}
