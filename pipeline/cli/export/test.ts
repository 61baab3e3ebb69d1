import { type Command, Option } from "commander";
import { escapeControls } from "../../base/printable.ts";
import { findTarget, readTargetCredentials, tryTo } from "../../outgoing/deliveries/target.ts";
import { readSettings, type Settings } from "../../base/home/settings.ts";
import { UsageError } from "../../base/errors.ts";
import type { World } from "../../base/world.ts";
import {
  findConfigured,
  loadWorkflow,
  tryActivation,
} from "../../outgoing/activations/find-activation.ts";
import { plainPrinter } from "../../base/notice/printer.ts";
import { savedMarker } from "../../../schemas/connectors/saved.ts";
import { target as targetSchema } from "../../../schemas/connectors.ts";
import { isObject } from "../../../schemas/object.ts";
import { refuseReadable } from "../../base/home/given-file.ts";
import { findSecret } from "../../base/home/secrets.ts";
import { parseYaml, readYaml } from "../../base/home/yaml.ts";
import { computeSha256 } from "../../base/home/durable.ts";
import type { NamedTarget } from "../../outgoing/targets/destination.ts";
import { getDestination } from "../../outgoing/registry.ts";
import { type RowFormat, rowFormats } from "../../answers/report/formats.ts";
import { newTextResult } from "../../answers/report/result.ts";
import { writeRows } from "../../answers/report/output.ts";

type Flags = {
  readonly result?: string;
  readonly activation?: string;
  readonly fromWorkflow?: string;
  readonly sendNothing?: true;
};

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
      const tried = tryGiven(name, flags, readSettings(command.optsWithGlobals(), world), world);
      for (const line of await tried.lines(flags.sendNothing !== true))
        world.stdout.write(`${tried.name}: ${escapeControls(line)}\n`);
      world.stdout.write(`${tried.name}: yes, a delivery would find what it needs\n`);
    });
}

/** What is tried: its name, and what a trial that may send a row finds. */
type TestedTarget = {
  readonly name: string;
  readonly lines: (isSending: boolean) => Promise<readonly string[]>;
};

function tryGiven(
  target: string | undefined,
  flags: Flags,
  settings: Settings,
  world: World,
): TestedTarget {
  const { result, activation, fromWorkflow: file } = flags;
  const given = [target, result, activation, file].filter((each) => each !== undefined);
  if (given.length !== 1) throw newTargetError(settings);
  if (activation === undefined && file === undefined)
    return tryTarget(target, result, settings, world);
  const print = plainPrinter(world, settings.flags);
  const named =
    file === undefined
      ? findConfigured(activation, settings)
      : loadWorkflow(file, undefined, settings, print);
  return {
    name: named.name,
    lines: (isSending) => tryActivation(named, isSending, settings, world),
  };
}

function tryTarget(
  target: string | undefined,
  result: string | undefined,
  own: Settings,
  world: World,
): TestedTarget {
  const { settings, name } =
    result === undefined ? { settings: own, name: target! } : readResultTarget(result, own);
  return {
    name,
    lines: (isSending) => tryTo(findTarget(settings, name), isSending, settings, world),
  };
}

function newTargetError({ config: { targets, activations } }: Settings): UsageError {
  const listKnown = (all: object): string => Object.keys(all).join(", ") || "none";
  return new UsageError(
    `no target; expected one of: its name, --result, --activation, --from-workflow; known targets: ${listKnown(targets)}; activations: ${listKnown(activations)}`,
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
export function readResultTarget(given: string, settings: Settings): GivenTarget {
  const file = given.startsWith("@") ? given.slice(1) : undefined;
  const label = file === undefined ? "--result" : `--result @${file}`;
  const content = file === undefined ? parseText(given) : readYaml(file, "--result");
  const keys = readBlock(content, label);
  const place = findSecret(keys);
  if (place !== undefined && file === undefined)
    throw new UsageError(
      `--result: ${place} holds a credential, which every user of this machine could read; write ${savedMarker} there and name an authentication, or put the keys into a file of mode 600: --result @FILE`,
    );
  if (place !== undefined)
    refuseReadable(file!, "--result", place, `write ${savedMarker} there and store it separately`);
  const result = targetSchema.safeParse(keys);
  if (!result.success) {
    const issue = result.error.issues[0]!;
    throw new UsageError(`${label}: ${issue.path.map(String).join(".") || "it"}: ${issue.message}`);
  }
  const name = `result-${computeSha256(JSON.stringify(keys)).slice(0, 8)}`;
  const { config } = settings;
  const targets = { ...config.targets, [name]: result.data };
  return { name, settings: { ...settings, config: { ...config, targets } } };
}

function parseText(text: string): unknown {
  return parseYaml(text, (why) => {
    throw new UsageError(
      `--result ${why}; expected a JSON object such as {"type": "file", "folder": "out"}`,
    );
  });
}

function readBlock(content: unknown, label: string): Readonly<Record<string, unknown>> {
  const block = isObject(content) && "out" in content ? content["out"] : content;
  if (isObject(block)) return block;
  throw new UsageError(
    `${label} is not an object; expected the keys of a connector, with its type`,
  );
}

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
          getDestination(target).describe(target),
          formatCredentials(target, settings, world),
        ];
      });
      const print = plainPrinter(world, settings.flags);
      if (rows.length === 0) print("no targets: add one under targets in the configuration");
      const result = newTextResult(["target", "type", "goes_to", "credentials"], rows);
      await writeRows(result, format, {}, world, print);
    });
}

function formatCredentials(target: NamedTarget, settings: Settings, world: World): string {
  if (!getDestination(target).needsCredentials(target)) return "none needed";
  try {
    readTargetCredentials(target, settings, world);
    return target.authentication ?? "in the configuration";
  } catch (error) {
    if (error instanceof UsageError) return "missing";
    throw error;
  }
}
