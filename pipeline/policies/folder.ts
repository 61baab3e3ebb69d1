import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { exitCode, messageOf, UsageError } from "../errors.ts";
import { compareSets, permissionsOf, type Comparison } from "../records/permissions.ts";
import { streamSink } from "../report/sink.ts";
import { clientOf } from "../source/configured-client.ts";
import { currentSet } from "./change.ts";
import { chooseSource, readSettings } from "../home/settings.ts";
import type { World } from "../world.ts";
import { splitDrift } from "./drift.ts";
import { changeLines, changeText } from "./lines.ts";
import { ordered, type Ordered, type Step } from "./ordered.ts";
import { send, type SendFlags } from "./send.ts";
import { withSending } from "./sending.ts";
import { checkId, namedPolicy, type Target } from "./target.ts";
import { readSetFile } from "./wanted.ts";
import { plainPrinter } from "../terminal/printer.ts";

const notes = `
The folder holds one file per policy, <id>.json or <name>.json, with its whole set.
Other policies are left alone. What gives somebody a right is sent before what takes it
from them, so that nobody is without a right that moves from one policy to another;
where each of two waits for the other, one is sent twice, first with what it gives.
plan tells apart what the files change, and what undoes changes that were made
elsewhere since a policy was set from here, or that log and snapshots do not show.

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
      onFolder(folder, command, world, async ({ steps }, print) => {
        const sink = streamSink(world.stdout, world.signal);
        for (const { target, comparison } of steps)
          await sink(await planText(target, comparison, world));
        for (const { target, comparison } of steps)
          print(`policy ${target.id}: ${changeText(comparison)}`);
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
      onFolder(folder, command, world, async ({ sendings }) => {
        for (const [i, { target, plan }] of sendings.entries()) {
          try {
            await send(target, "apply", plan, flags, world);
          } catch (error) {
            const left = [...new Set(sendings.slice(i + 1).map((step) => step.target.id))];
            if (left.length > 0)
              world.stderr.write(`warning: left as they are: policies ${left.join(", ")}\n`);
            throw error;
          }
        }
      }),
    );
}

async function onFolder(
  folder: string,
  command: Command,
  world: World,
  work: (ordered: Ordered, print: (line: string) => void) => Promise<void>,
): Promise<void> {
  const settings = readSettings(command, world);
  const source = chooseSource(settings, world);
  const print = plainPrinter(world, settings.flags.quiet === true);
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
  print(`${files.length} files, ${changing.length} of their policies would change`);
  await work(await ordered(changing, settings, source), print);
}

// What the file changes, and apart from it what would undo the changes of somebody else.
async function planText(target: Target, comparison: Comparison, world: World): Promise<string> {
  const apart = await splitDrift(target, comparison, world);
  const { own, drift } = apart ?? { own: comparison, drift: { added: [], removed: [] } };
  const hasOwn = own.added.length + own.removed.length > 0;
  const changes = hasOwn ? `policy ${target.id}\n${changeLines(own)}` : "";
  if (apart === undefined || drift.added.length + drift.removed.length === 0) return changes;
  return `${changes}policy ${target.id}, undoing the drift ${apart.base}\n${changeLines(apart.drift)}`;
}

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
