import { fork, type ChildProcess } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { newRandom, type Random } from "../../fixtures/random.ts";
import { ask } from "./children.ts";
import { makeSeed, type Figure, type Measured } from "./figure.ts";
import { stormOfCommands } from "./lock-storm-commands.ts";
import { preciseNow, type Start, type Try } from "./lock-race.ts";

const racers = 6;
const commandStormEvery = 50;
const racerFile = fileURLToPath(new URL("lock-racer.ts", import.meta.url));

/** Several runs start at once: one gets the lock, and the others report its holder at once. */
export const lockStormFigure: Figure = {
  name: "locks",
  unit: "storms",
  asked: "one holder at a time, the others exit 5 and name it, void locks taken over",
  long: 2000,
  short: commandStormEvery,
  run,
};

async function run(count: number, seed: number, report: (line: string) => void): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), "auditlake-storm-"));
  const crew = Array.from({ length: racers }, () => fork(racerFile));
  const failures: string[] = [];
  const tally = { won: 0, locked: 0, fault: 0 };
  try {
    for (let i = 0; i < count; i++) {
      const own = makeSeed(seed, i);
      const random = newRandom(own, "storm");
      const complaints =
        own % commandStormEvery === 0
          ? await stormOfCommands(random, racers)
          : await storm(crew, join(folder, String(i)), random, tally);
      failures.push(...complaints.map((complaint) => `seed ${own}: ${complaint}`));
      if ((i + 1) % Math.ceil(count / 20) === 0) report(`${i + 1} of ${count}`);
    }
    // The file that the operating system's lock is on stays.
    const left = readdirSync(folder).filter((name) => !name.endsWith(".sqlite"));
    failures.push(
      ...left.map((name) => `seed ${seed + Number.parseInt(name, 10)}: ${name} is left over`),
    );
  } finally {
    for (const racer of crew) racer.disconnect();
    rmSync(folder, { recursive: true });
  }
  const note = `${racers} at once; ${tally.won} times taken, ${tally.locked} times refused`;
  return { done: count, failures, note };
}

async function storm(
  crew: readonly ChildProcess[],
  path: string,
  random: Random,
  tally: Record<Try["result"], number>,
): Promise<string[]> {
  leaveBehind(path, random);
  const atMs = preciseNow() + 5;
  const tries = random.pick([1, 1, 5, 20]);
  const holdMs = tries === 1 ? 5 : random.next();
  const answers = await Promise.all(
    crew.map((racer) => {
      const moments = Array.from({ length: tries }, (_, i) => atMs + i + 0.3 * random.next());
      const start: Start = { path, atMs: moments, holdMs };
      return ask<readonly Try[]>(racer, start);
    }),
  );
  const all = answers.flat();
  for (const { result } of all) tally[result] += 1;
  return listComplaints(all);
}

function listComplaints(all: readonly Try[]): string[] {
  const faults = all.filter(({ result }) => result === "fault").map(({ message }) => message);
  const vague = all
    .filter(
      ({ result, message }) => result === "locked" && !/storm of \d+ \(process \d+/.test(message),
    )
    .map(({ message }) => `the holder is not named: ${message}`);
  const noWinner = all.some(({ result }) => result === "won")
    ? []
    : ["no process could take the lock"];
  return [...faults, ...vague, ...noWinner];
}

// The possible leftovers of a killed run: nothing, its lock, or a lock without content.
function leaveBehind(path: string, random: Random): void {
  const dead = { pid: 4_194_303, host: hostname(), started: "1", command: "ingest", since: "2026" };
  const content = random.pick([undefined, JSON.stringify(dead), JSON.stringify(dead), ""]);
  if (content !== undefined) writeFileSync(path, content);
}
