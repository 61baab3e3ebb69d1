import { join } from "node:path";
import { UsageError } from "../../base/errors.ts";
import { compareSets, permissionsOf, type Comparison } from "../../core/records/permissions.ts";
import { clientOf } from "../../core/source/configured-client.ts";
import { currentSet } from "./change.ts";
import { chooseSource, type Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import { splitDrift } from "./drift.ts";
import { changeLines } from "./change-lines.ts";
import { ordered, type Ordered, type Step } from "./ordered.ts";
import { send, type SendFlags } from "./send.ts";
import { namedPolicy, type Target } from "./target.ts";
import { flagOfSet, readSetFile } from "./wanted.ts";
import { plainPrinter } from "../../base/terminal/printer.ts";
import { filesIn } from "./files-in.ts";

/** Works on what a folder of sets would change, in the order that it is sent in. Throws UsageError on a bad file. */
export async function withFolder(
  folder: string,
  settings: Settings,
  world: World,
  work: (ordered: Ordered, print: (line: string) => void) => Promise<void>,
): Promise<void> {
  const source = chooseSource(settings, world);
  const print = plainPrinter(world, settings.flags);
  const files = filesIn(folder, /\.json$/, "no .json file; expected one per policy, as 1234.json");
  const sets = files.map((file) => readSetFile(join(folder, file), false, flagOfSet));
  await using client = clientOf(settings, source, world);
  const steps: Step[] = [];
  for (const [i, file] of files.entries()) {
    const id = await namedPolicy(file.slice(0, -".json".length), settings, source, world);
    const twin = steps.find(({ target }) => target.id === id);
    if (twin !== undefined)
      throw new UsageError(`${folder} holds two files for policy ${id}; nothing was sent`);
    const wanted = sets[i]!;
    const before = permissionsOf(await currentSet(client, id));
    const comparison = compareSets(before, wanted);
    steps.push({ target: { id, settings, source, client }, before, wanted, comparison });
  }
  const changing = steps.filter(
    ({ comparison: { added, removed } }) => added.length + removed.length > 0,
  );
  print(`${files.length} files, ${changing.length} of their policies would change`);
  await work(await ordered(changing, settings, source, world.now()), print);
}

/** Sends one set after the other. Names those that are left as they are, and throws, where one fails. */
export async function applySteps(
  sendings: Ordered["sendings"],
  flags: SendFlags,
  world: World,
): Promise<void> {
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
}

/** What the file changes as text, and apart from it what would undo the changes of somebody else. */
export async function planText(
  target: Target,
  comparison: Comparison,
  world: World,
): Promise<string> {
  const apart = await splitDrift(target, comparison, world);
  const { own, drift } = apart ?? { own: comparison, drift: { added: [], removed: [] } };
  const hasOwn = own.added.length + own.removed.length > 0;
  const changes = hasOwn ? `policy ${target.id}\n${changeLines(own)}` : "";
  if (apart === undefined || drift.added.length + drift.removed.length === 0) return changes;
  return `${changes}policy ${target.id}, undoing the drift ${apart.base}\n${changeLines(apart.drift)}`;
}
