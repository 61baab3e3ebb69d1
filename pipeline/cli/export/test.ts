import { type Command, Option } from "commander";
import { printable } from "../../base/printable.ts";
import { findTarget, targetCredentials, tryTo } from "../../outgoing/deliveries/target.ts";
import { readSettings, type Settings } from "../../base/home/settings.ts";
import { UsageError } from "../../base/errors.ts";
import type { World } from "../../base/world.ts";
import { configured, fromWorkflow, tryActivation } from "../../outgoing/activations/chosen.ts";
import { plainPrinter } from "../../base/notice/printer.ts";
import { savedMarker } from "../../../schemas/connectors/saved.ts";
import { target as targetSchema } from "../../../schemas/connectors.ts";
import { isObject } from "../../../schemas/object.ts";
import { refuseReadable } from "../../base/home/given-file.ts";
import { secretPlace } from "../../base/home/secrets.ts";
import { parsedYaml, readYaml } from "../../base/home/yaml.ts";
import { sha256Of } from "../../base/home/durable.ts";
import type { NamedTarget } from "../../outgoing/targets/destination.ts";
import { destinationOf } from "../../outgoing/registry.ts";
import { type RowFormat, rowFormats } from "../../answers/report/formats.ts";
import { textResult } from "../../answers/report/result.ts";
import { writeRows } from "../../answers/report/output.ts";

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
    .description("sign in to a target and check its prerequisites")
    .argument("[target]", "configured target")
    .addOption(new Option("--result <json>", "the target itself, as in export"))
    .option("--activation <name>", "test the connectors of an activation, with its mappings")
    .option("--from-workflow <file>", "test the activation of a workflow file (YAML)")
    .option("--send-nothing", "webhook: only check that the receiver answers")
    .addHelpText(
      "after",
      `
Creates and sends nothing, except one row marked as a test to a webhook. If a delivery
would find everything it needs, prints "yes" and ends with exit code 0.

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

/** A target on the command line: the settings that contain it, and its name in them. */
type GivenTarget = { readonly settings: Settings; readonly name: string };

/**
 * Reads the target of `--result` (seed 002, Endpoints, rule 5): a JSON object of connector keys, or @ and a file of
 * JSON or YAML, with the keys at the top or as its `out` block. Its name follows from its keys, so that the same
 * command resumes what it started. Throws UsageError, which shows no credential; one on the command line itself is
 * refused.
 */
export function resultTarget(given: string, settings: Settings): GivenTarget {
  const file = given.startsWith("@") ? given.slice(1) : undefined;
  const label = file === undefined ? "--result" : `--result @${file}`;
  const content = file === undefined ? ofText(given) : readYaml(file, "--result");
  const keys = blockOf(content, label);
  const place = secretPlace(keys);
  if (place !== undefined && file === undefined)
    throw new UsageError(
      `--result: ${place} holds a credential, which everybody on this machine could read; write ${savedMarker} there and name an authentication, or put the keys into a file of mode 600: --result @FILE`,
    );
  if (place !== undefined)
    refuseReadable(file!, "--result", place, `write ${savedMarker} there and store it apart`);
  const result = targetSchema.safeParse(keys);
  if (!result.success) {
    const issue = result.error.issues[0]!;
    throw new UsageError(`${label}: ${issue.path.map(String).join(".") || "it"}: ${issue.message}`);
  }
  const name = `result-${sha256Of(JSON.stringify(keys)).slice(0, 8)}`;
  const { config } = settings;
  const targets = { ...config.targets, [name]: result.data };
  return { name, settings: { ...settings, config: { ...config, targets } } };
}

function ofText(text: string): unknown {
  return parsedYaml(text, (why) => {
    throw new UsageError(
      `--result ${why}; expected a JSON object such as {"type": "file", "folder": "out"}`,
    );
  });
}

function blockOf(content: unknown, label: string): Readonly<Record<string, unknown>> {
  const block = isObject(content) && "out" in content ? content["out"] : content;
  if (isObject(block)) return block;
  throw new UsageError(`${label} is no object; expected the keys of a connector, with its type`);
}

/** Registers `export targets`. */
export function addTargets(verb: Command, world: World): void {
  verb
    .command("targets")
    .description("list the configured targets, without their credentials")
    .addOption(
      new Option("--format <format>", "output format").choices(rowFormats).default("table"),
    )
    .addHelpText("after", "\nExamples:\n  auditlake export targets")
    .action(async ({ format }: { format: RowFormat }, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      const names = Object.keys(settings.config.targets).toSorted();
      const rows = names.map((name) => {
        const target = findTarget(settings, name);
        return [
          name,
          target.type,
          destinationOf(target).describe(target),
          credentialsText(target, settings, world),
        ];
      });
      const print = plainPrinter(world, settings.flags);
      if (rows.length === 0) print("no targets: add one under targets in the configuration");
      const result = textResult(["target", "type", "goes_to", "credentials"], rows);
      await writeRows(result, format, {}, world, print);
    });
}

function credentialsText(target: NamedTarget, settings: Settings, world: World): string {
  if (!destinationOf(target).needsCredentials(target)) return "none needed";
  try {
    targetCredentials(target, settings, world);
    return target.authentication ?? "in the configuration";
  } catch (error) {
    if (error instanceof UsageError) return "missing";
    throw error;
  }
}
