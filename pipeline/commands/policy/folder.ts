import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import type { PermissionSet } from "../../../schemas/policies.ts";
import { exitCode, messageOf, UsageError } from "../../errors.ts";
import { compareSets, permissionsOf, type Comparison } from "../../page/permissions.ts";
import { streamSink } from "../../report/sink.ts";
import { clientOf } from "../../run/client.ts";
import { currentSet } from "../../run/policy-change.ts";
import { chooseSource, settle } from "../../settings.ts";
import type { World } from "../../world.ts";
import { sayTo } from "../output.ts";
import { changeLines, changeText } from "./lines.ts";
import { send, type SendFlags } from "./send.ts";
import { withSending } from "./sending.ts";
import { checkId, namedPolicy, type Target } from "./target.ts";
import { readSetFile } from "./wanted.ts";

const notes = `
The folder holds one file per policy, <id>.json or <name>.json, with its whole set.
Other policies are left alone. What only gives is sent first and what only takes
away last, so that nobody is without a right that moves from one policy to another.

Examples:
  auditlake policy plan policies --strict
  auditlake policy apply policies --reason 'review of March'`;

type PlanFlags = { readonly strict?: true };

/** Registers `policy plan` and `policy apply`. */
export function addFolder(verb: Command, world: World): void {
  verb
    .command("plan")
    .description("what applying a folder of permission sets would change")
    .argument("<folder>", "one file per policy")
    .option("--strict", `end with exit code ${exitCode.findings} where something would change`)
    .addHelpText("after", notes)
    .action((folder: string, flags: PlanFlags, command: Command) =>
      onFolder(folder, command, world, async (steps, say) => {
        const sink = streamSink(world.stdout, world.signal);
        for (const { target, comparison } of steps)
          await sink(`policy ${target.id}\n${changeLines(comparison)}`);
        for (const { target, comparison } of steps)
          say(`policy ${target.id}: ${changeText(comparison)}`);
        if (steps.length > 0 && flags.strict) process.exitCode = exitCode.findings;
      }),
    );
  withSending(
    verb
      .command("apply")
      .description("set the policies that a folder of permission sets names")
      .argument("<folder>", "one file per policy"),
  )
    .addHelpText("after", notes)
    .action((folder: string, flags: SendFlags, command: Command) =>
      onFolder(folder, command, world, async (steps) => {
        for (const [i, { target, wanted }] of steps.entries()) {
          try {
            await send(target, "apply", () => wanted, flags, world);
          } catch (error) {
            const left = steps.slice(i + 1).map((step) => step.target.id);
            if (left.length > 0)
              world.stderr.write(`warning: left as they are: policies ${left.join(", ")}\n`);
            throw error;
          }
        }
      }),
    );
}

type Step = {
  readonly target: Target;
  readonly wanted: PermissionSet;
  readonly comparison: Comparison;
};

async function onFolder(
  folder: string,
  command: Command,
  world: World,
  work: (steps: readonly Step[], say: (line: string) => void) => Promise<void>,
): Promise<void> {
  const settings = settle(command, world);
  const source = chooseSource(settings, world);
  const say = sayTo(world, settings.flags.quiet === true);
  const files = filesOf(folder);
  const sets = files.map((file) => readSetFile(join(folder, file), false));
  await using client = clientOf(settings, source, world);
  const steps: Step[] = [];
  for (const [i, file] of files.entries()) {
    const id = await namedPolicy(file.slice(0, -".json".length), settings, source, world);
    checkId(id);
    const twin = steps.find(({ target }) => target.id === id);
    if (twin !== undefined)
      throw new UsageError(`${folder} holds two files for policy ${id}; nothing was sent`);
    const wanted = sets[i]!;
    const comparison = compareSets(permissionsOf(await currentSet(client, id)), wanted);
    steps.push({ target: { id, settings, source, client }, wanted, comparison });
  }
  const changing = steps.filter(
    ({ comparison: { added, removed } }) => added.length + removed.length > 0,
  );
  say(`${files.length} files, ${changing.length} of their policies would change`);
  await work(
    changing.toSorted((a, b) => rankOf(a) - rankOf(b)),
    say,
  );
}

// What gives comes before what does both, and that before what takes away.
const rankOf = ({ comparison: { added, removed } }: Step): number =>
  removed.length === 0 ? 0 : added.length > 0 ? 1 : 2;

function filesOf(folder: string): string[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    throw new UsageError(`cannot read ${folder}: ${messageOf(error)}`);
  }
  const files = names.filter((name) => name.endsWith(".json")).sort();
  if (files.length === 0)
    throw new UsageError(`${folder} holds no .json file; expected one per policy, as 1234.json`);
  return files;
}
