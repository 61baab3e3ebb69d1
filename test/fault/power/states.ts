import { existsSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newRandom, type Random } from "../../../fixtures/random.ts";
import type { Truth } from "../log.ts";
import { layOut, losses, type Loss } from "./cut.ts";
import { inspect } from "./inspect.ts";
import { readContent, type Folder, type Node } from "./disk.ts";
import { newReplay } from "./replay.ts";
import { deliveredBelow, homeBelow, newStory, type Held, type Step, type Story } from "./story.ts";

/** Records the story of a seed and opens `count` states that power cuts leave of it. */
export async function openStates(
  seed: number,
  count: number,
  isShort: boolean,
  report: (line: string) => void,
): Promise<string[]> {
  await using story = await newStory(seed);
  const steps = story.steps.map(({ what, start, end }) => `${what} (${end - start})`);
  report(`seed ${seed}: ${steps.join(", ")}; ${story.places.length} changes and syncs`);
  const failures: string[] = [];
  for (let place = 0; place < count; place++) {
    const drawn = drawState(story, place, newRandom(seed, `moment ${place}`));
    // The short form has no time to run on from each.
    const state = { ...drawn, place, isHealed: !isShort || place < 4 || place % 3 === 0 };
    for (const failure of await openState(story, state, newRandom(seed, `state ${place}`))) {
      failures.push(`seed ${seed}: state ${place}, ${failure}`);
      report(failures.at(-1)!);
    }
  }
  return failures;
}

// What one state has, others have, too.
const maxComplaints = 3;

/** A moment of a story, and which of the unsynced changes are lost then. */
type Drawn = { readonly cut: number; readonly loss: Loss };
type State = Drawn & { readonly place: number; readonly isHealed: boolean };

// First come the states with what each command had reported when nothing else had reached the disk. Others are drawn
// at random, mostly around the moments when names change or data is synced.
function drawState({ steps, moments, places }: Story, place: number, random: Random): Drawn {
  const done = steps.filter(({ isKilled }) => !isKilled);
  const step = done[place >> 1];
  if (step !== undefined) return { cut: place % 2 === 0 ? step.end : step.printed, loss: "all" };
  const loss = random.pick(losses);
  if (random.chance(0.4)) return { cut: random.pick(places) + 1, loss };
  const turns = places.filter((at) => /sync|rename|unlink|mkdir/.test(moments[at]!.call.name));
  return { cut: random.pick(turns) + random.int(0, 1), loss };
}

// In memory if there is space: opening a state waits for every sync, and this disk will lose no power.
function chooseFolder(): string {
  const memory = "/dev/shm";
  if (!existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize > 2 ** 29 ? memory : tmpdir();
}

async function openState(
  story: Story,
  { place, cut, loss, isHealed }: State,
  random: Random,
): Promise<string[]> {
  const root = diskAt(story, cut);
  const folder = mkdtempSync(join(chooseFolder(), "auditlake-state-"));
  try {
    const lost = layOut(root, folder, loss, random);
    const { steps } = story;
    const wrong = await inspect({
      root: join(folder, homeBelow),
      options: story.optionsFor(folder),
      env: story.env,
      published: allowed(
        steps,
        cut,
        ({ end }) => end,
        ({ published }) => published,
      ),
      healed: allowed(
        steps,
        cut,
        ({ printed }) => printed,
        ({ healed }) => healed,
      ).filter((truth) => truth !== undefined),
      isSummed: !story.isPruned,
      delivered: deliveredAt(story, cut, root, folder),
      isHealed,
      // These take as long as five states.
      isDoctored: place % 20 === 10,
      isRebuilt: place % 20 === 15,
    });
    const when = `${getWhere(story, cut)}, ${lost}`;
    const more =
      wrong.length > maxComplaints ? [`and ${wrong.length - maxComplaints} more of the kind`] : [];
    return [...wrong.slice(0, maxComplaints), ...more].map((line) => `${when}: ${line}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function diskAt({ folder, moments, steps }: Story, cut: number): Folder {
  const replay = newReplay(folder);
  const starts = new Set(steps.map(({ start }) => start));
  for (const [place, moment] of moments.slice(0, cut).entries()) {
    if (starts.has(place)) replay.newProcesses();
    replay.take(moment);
  }
  return replay.root;
}

// While the last command is one that leaves nothing to deliver.
function deliveredAt(
  { steps }: Story,
  cut: number,
  root: Folder,
  folder: string,
): Map<string, Buffer> | undefined {
  const last = steps.findLast(({ start }) => start < cut);
  if (last === undefined || !last.after.isDelivered || last.end > cut) return undefined;
  let sent: Node | undefined = root;
  for (const name of deliveredBelow.split("/"))
    sent = sent?.kind === "folder" ? sent.now.get(name) : undefined;
  const files = sent?.kind === "folder" ? [...sent.now] : [];
  return new Map(
    files.flatMap(([name, node]) =>
      node.kind === "file"
        ? [[join(folder, deliveredBelow, name), readContent(node)] as const]
        : [],
    ),
  );
}

// What the last completed command has left, and what the commands started since may have made of it.
function allowed(
  steps: readonly Step[],
  cut: number,
  doneAt: (step: Step) => number,
  of: (held: Held) => Truth | undefined,
): (Truth | undefined)[] {
  const started = steps.filter(({ start }) => start < cut);
  const last = started.findLastIndex((step) => !step.isKilled && doneAt(step) <= cut);
  const open = started.slice(Math.max(0, last)).map(({ after }) => of(after));
  return last < 0 ? [undefined, ...open, of(steps[0]!.after)] : open;
}

function getWhere({ steps, moments, places }: Story, cut: number): string {
  const step = steps.findLast(({ start }) => start < cut);
  const before = places.findLast((place) => place < cut);
  const { name, args } = moments[before ?? 0]!.call;
  const what =
    step === undefined
      ? "before anything"
      : step.end <= cut
        ? `after ${step.what}`
        : step.printed <= cut
          ? `when ${step.what} had printed its message`
          : `in ${step.what}`;
  return `${what}, moment ${cut} of ${moments.length}, last ${name} ${readable(args)}`;
}

function readable(args: readonly string[]): string {
  const text = args.join(", ").slice(0, 2000);
  const plain = text.replaceAll(/(?:\\x[0-9a-f]{2})+/g, (hex) =>
    hex.length > 1200 ? "…" : Buffer.from(hex.replaceAll("\\x", ""), "hex").toString("latin1"),
  );
  return plain.replaceAll(/[^ -~]/g, ".").slice(-160);
}
