import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { newRandom, type Random } from "../../fixtures/random.ts";
import { newHome } from "../support/home.ts";
import { makeSeed, type Figure, type Measured } from "./figure.ts";
import { killAtChange } from "./kill-moment.ts";
import { type Ended, lastError, startCli } from "./process.ts";

const killsPerHome = 10;

/** SIGKILL at random moments of runs that sign heads: no two heads that were signed disagree. */
export const evidenceFigure: Figure = {
  name: "evidence",
  unit: "kills",
  asked: "no two signed trees that disagree, no landed file without an entry",
  long: 300,
  short: 3,
  perSeed: killsPerHome,
  run: async (count, seed, report) => {
    const tales: Tale[] = [];
    for (let i = 0; i * killsPerHome < count; i++) {
      const kills = Math.min(killsPerHome, count - i * killsPerHome);
      const tale = await killRuns(makeSeed(seed, i), kills);
      tales.push(tale);
      for (const failure of tale.failures) report(failure);
      report(`${tales.reduce((sum, tale) => sum + tale.done, 0)} of ${count} kills`);
    }
    return sumTales(tales);
  },
};

type Tale = { readonly done: number; readonly heads: number; readonly failures: readonly string[] };

function sumTales(tales: readonly Tale[]): Measured {
  const heads = tales.reduce((sum, tale) => sum + tale.heads, 0);
  return {
    done: tales.reduce((sum, tale) => sum + tale.done, 0),
    failures: tales.flatMap(({ failures }) => failures),
    note: `${heads} signed heads`,
  };
}

async function killRuns(seed: number, kills: number): Promise<Tale> {
  using home = newHome();
  const random = newRandom(seed, "kills of runs that sign");
  const heads = join(home.folder, "heads");
  mkdirSync(heads);
  const evidence = { key_file: join(home.folder, "key.pem"), heads };
  const env = {
    AUDITLAKE_HOME: home.home,
    AUDITLAKE_CONFIG: home.write("auditlake.json", JSON.stringify({ evidence })),
  };
  const seen = new Map<string, Set<string>>();
  const failures: string[] = [];
  const start = (...argv: string[]): ReturnType<typeof startCli> => startCli(argv, env);
  const runWhole = async (...argv: string[]): Promise<Ended> => {
    const ended = await start(...argv).ended;
    if (ended.code !== 0) failures.push(`seed ${seed}: ${argv[0]}: ${lastError(ended)}`);
    noteHeads(home.home, heads, seen);
    return ended;
  };
  const newFile = (i: number): string =>
    home.write(`${i}.ndjson`, `{"event_name":"x.y","time":${1_764_000_000 + i}}\n`);
  await runWhole("evidence", "init");
  const usual = await runWhole("import", newFile(0));
  for (let i = 1; i <= kills; i++) {
    await killOnce(() => start("import", newFile(i)), home.home, usual.ms, random);
    noteHeads(home.home, heads, seen);
  }
  await runWhole("import", newFile(kills + 1));
  const lines = readLines(home.home);
  for (const [size, roots] of seen)
    if (roots.size > 1 || !roots.has(computeRoot(lines.slice(0, Number(size))).toString("base64")))
      failures.push(`seed ${seed}: heads of ${size} entries disagree: ${[...roots].join(", ")}`);
  const paths = new Set(lines.map((line) => (JSON.parse(line) as { path?: string }).path));
  for (const name of readdirSync(join(home.home, "landing/reads")))
    if (name.endsWith(".json") && !paths.has(`reads/${name}`))
      failures.push(`seed ${seed}: reads/${name} has no entry`);
  return { done: kills, heads: seen.size, failures };
}

// Half of the time the clock decides, half of the time a change of a file.
async function killOnce(
  start: () => ReturnType<typeof startCli>,
  folder: string,
  usualMs: number,
  random: Random,
): Promise<void> {
  if (random.chance(0.5)) {
    await killAtChange(folder, start, random.int(1, 40));
    return;
  }
  const started = start();
  const over = new AbortController();
  const ms = usualMs * (0.3 + random.next() * 0.8);
  const kill = wait(ms, undefined, { signal: over.signal }).then(started.kill, () => undefined);
  await started.ended;
  over.abort();
  await kill;
}

function noteHeads(home: string, heads: string, seen: Map<string, Set<string>>): void {
  const own = join(home, "landing/log/head");
  const files = readdirSync(heads).filter((name) => name.endsWith(".checkpoint"));
  const notes = files.map((name) => readFileSync(join(heads, name), "utf8"));
  if (existsSync(own)) notes.push(readFileSync(own, "utf8"));
  for (const note of notes) {
    const [, size, root] = note.split("\n");
    if (!note.includes("\n\n— ")) continue;
    seen.set(size!, (seen.get(size!) ?? new Set()).add(root!));
  }
}

function readLines(home: string): string[] {
  const text = readFileSync(join(home, "landing/log/entries.ndjson"), "utf8");
  return text.split("\n").slice(0, -1);
}

// As RFC 6962 defines it.
function computeRoot(leaves: readonly string[]): Buffer {
  if (leaves.length === 1) return createHash("sha256").update(`\0${leaves[0]!}`).digest();
  let middle = 1;
  while (middle * 2 < leaves.length) middle *= 2;
  const sides = [leaves.slice(0, middle), leaves.slice(middle)].map(computeRoot);
  return createHash("sha256").update("\u0001").update(sides[0]!).update(sides[1]!).digest();
}
