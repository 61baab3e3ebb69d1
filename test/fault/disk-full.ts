import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Random, newRandom } from "../../fixtures/random.ts";
import { resolveHome } from "../../pipeline/base/home/layout.ts";
import { type Bed, type Ended, newBed, type Verb, verbs } from "./disk/bed.ts";
import {
  canMount,
  limitFileSize,
  type LimitedSpace,
  type SpaceLimit,
  mountSmallDisk,
} from "./disk/limited-space.ts";
import { type Figure, type Measured, makeSeed } from "./figure.ts";
import { leftovers } from "./kill-phase.ts";
import type { Truth } from "./log.ts";
import { compare, look, withPublished } from "./store.ts";

/** Commands that run out of disk space, by a limit on the size of files or on a small file system. */
export const diskFull: Figure = {
  name: "disk-full",
  unit: "runs",
  asked: "error names file and cause, published file answers, next run heals, 0 lost, 0 doubled",
  long: 60,
  short: 1,
  run,
};

async function run(count: number, seed: number, report: (line: string) => void): Promise<Measured> {
  const kinds: SpaceLimit[] = canMount() ? ["file size limit", "small disk"] : ["file size limit"];
  // One log for all seeds, so that each run replays by its own number.
  await using bed = await newBed(1);
  const failures: string[] = [];
  const outcomes = new Map<string, number>();
  for (let place = 0; place < count; place++) {
    const own = makeSeed(seed, place);
    const tale = await runOutOfSpace(bed, own, kinds);
    outcomes.set(tale.outcome, (outcomes.get(tale.outcome) ?? 0) + 1);
    failures.push(...tale.failures.map((failure) => `seed ${own}: ${tale.what}: ${failure}`));
    for (const failure of tale.failures) report(`seed ${own}: ${tale.what}: ${failure}`);
    report(`${place + 1} of ${count}: ${tale.what}: ${tale.outcome}`);
  }
  const counted = [...outcomes].map(([outcome, n]) => `${n} ${outcome}`).join(", ");
  return { done: count, failures, note: `${counted}; by ${kinds.join(" and ")}` };
}

type Tale = { readonly what: string; readonly outcome: string; readonly failures: string[] };

/** One command that runs out of disk space at a place that the seed chooses, and what follows. */
async function runOutOfSpace(bed: Bed, seed: number, kinds: readonly SpaceLimit[]): Promise<Tale> {
  const random = newRandom(seed, "disk");
  const [verb, kind] = [random.pick(verbs), random.pick(kinds)];
  const kilobytes = scarce(random, verb, kind, bed.folder);
  using space =
    kind === "small disk"
      ? mountSmallDisk(bed.folder, kilobytes)
      : limitFileSize(bed.folder, kilobytes);
  const failures: string[] = [];
  const reports = readFiles(join(bed.folder, "reports"));
  const short = await bed.run(verb, space.folder, space.prefix);
  if (short.code !== 0) failures.push(...listComplaints(short));
  failures.push(...(await inspect(bed, space, verb, short)));
  if (verb === "report") failures.push(...torn(reports, join(space.folder, "reports")));
  space.widen();
  failures.push(...(await heal(bed, space, verb)));
  const outcome = short.code === 0 ? "done all the same" : "out of space";
  return { what: `${verb}, ${space.what}`, outcome, failures };
}

// How much space is left, in kilobytes. Little space fails early, in the landing folder or the log; more fails late,
// in the copy. A limit below the size of the warehouse is refused before anything is written.
function scarce(random: Random, verb: Verb, kind: SpaceLimit, folder: string): number {
  const listKilobytes = (name: string): number => statSync(join(folder, name)).size / 1024;
  if (verb === "report") return Math.round(listKilobytes("reports/all_events.csv") * random.next());
  const needed = listKilobytes("home/warehouse.duckdb");
  if (kind === "file size limit")
    return Math.round(needed * (random.chance(0.2) ? random.next() : 0.95 + 0.35 * random.next()));
  const most = verb === "rebuild" || verb === "prune" ? 2.2 : 1.2;
  return Math.round(needed * most * random.next() ** 2);
}

const cause = /no space left|file too large|ENOSPC|EFBIG|no room|disk is full/i;

// One line for each thing that failed, with the file and the cause; no stack.
function listComplaints({ code, err }: Ended): string[] {
  const lines = err.split("\n").filter((line) => /^(error|warning): /.test(line));
  const errors = lines.filter((line) => line.startsWith("error: "));
  return [
    ...(code === 1 || code === 6 ? [] : [`exit code ${code}`]),
    ...(errors.length > 0 ? [] : [`no line of error: ${err}`]),
    ...lines
      .filter((line) => !cause.test(line) || !line.includes("/"))
      .map((line) => `unclear: ${line}`),
    ...(/^\s+at .*:\d+/m.test(err) ? [`a stack: ${err}`] : []),
  ];
}

/** The published file answers with one of the versions that it may have. */
async function inspect(
  bed: Bed,
  { folder }: LimitedSpace,
  verb: Verb,
  { code }: Ended,
): Promise<string[]> {
  const { published } = resolveHome(join(folder, "home"));
  return withPublished(published, async (query) => {
    const { complaints } = await look(query);
    const [newer, older] = await Promise.all([
      compare(query, listExpected(bed, verb)),
      compare(query, bed.before),
    ]);
    // Pruned events are correctly missing in the sums of the reads.
    const wrong = verb === "prune" ? [] : [...complaints];
    if (newer.length === 0 || (code !== 0 && older.length === 0)) return wrong;
    // An ingest that ran out of space has loaded some of its windows, and nothing twice.
    const torn = [
      ...newer.filter((line) => line.includes(" doubled: ")),
      ...older.filter((line) => line.includes(" lost: ")),
    ];
    if (verb === "ingest" && code !== 0) return [...wrong, ...torn];
    return [...wrong, `neither the old nor the new version: ${newer[0]}`];
  }).catch((error: unknown) => [`the published file does not answer: ${String(error)}`]);
}

function listExpected(bed: Bed, verb: Verb): Truth {
  if (verb === "prune") return bed.pruned;
  return verb === "ingest" || verb === "import" ? bed.after : bed.before;
}

/** With space again the same command succeeds, and every event is stored once. */
async function heal(bed: Bed, space: LimitedSpace, verb: Verb): Promise<string[]> {
  const failures: string[] = [];
  const next: Verb[] = [verb, "ingest", "rebuild"];
  for (const each of next) {
    const { code, err } = await bed.run(each, space.folder);
    if (code !== 0) failures.push(`${each} with space again: ${code}: ${err.trim()}`);
  }
  const home = resolveHome(join(space.folder, "home"));
  await withPublished(home.published, async (query) => {
    const complaints = verb === "prune" ? [] : (await look(query)).complaints;
    // The scheduled run restores pruned events, since it looks back further here.
    const wrong = await compare(query, bed.after);
    failures.push(...complaints, ...wrong.slice(0, 3));
    if (wrong.length > 3) failures.push(`and ${wrong.length - 3} more marks`);
  });
  failures.push(...leftovers(home).map((name) => `left over: ${name}`));
  return failures;
}

function readFiles(folder: string): Map<string, string> {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return new Map(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

// Old or new, complete in both cases: the data are the same, so the text is.
function torn(before: ReadonlyMap<string, string>, folder: string): string[] {
  const now = readFiles(folder);
  return [...new Set([...before.keys(), ...now.keys()])].flatMap((name) =>
    now.get(name) === before.get(name) ? [] : [`${name} is not what it was`],
  );
}
