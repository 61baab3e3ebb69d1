import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { newRandom, type Random } from "../../fixtures/random.ts";
import { newTestbed, type Testbed, type Lengths, type Verb } from "./testbed.ts";
import { startAndKill } from "./kill-moment.ts";
import { readDrafts, leftovers, readPhase, type Phase } from "./kill-phase.ts";
import { lastError, type Ended } from "./process.ts";
import { compare, look, readSha256, withPublished } from "./store.ts";

/** What happened to one home. */
export type Tale = {
  readonly kills: { readonly verb: Verb; readonly phase: Phase }[];
  readonly failures: string[];
  /** Drafts of reports that killed processes left in the folder of reports. */
  drafts: number;
  /** Databases of which a kill left a block half written; the next run continued without them. */
  torn: number;
};

/** Kills processes on one home until `kills` of them died, then runs to the end and compares. */
export async function killRound(seed: number, kills: number, usual: Lengths): Promise<Tale> {
  const random = newRandom(seed, "kills");
  await using bed = await newTestbed(seed, kills, true);
  const tale: Tale = { kills: [], failures: [], drafts: 0, torn: 0 };
  const watch = newWatch(bed, tale);
  let wasKilled = false;
  for (let start = 0; tale.kills.length < kills && start < 5 * kills; start++) {
    bed.grow();
    const verb = existsSync(bed.home.published) ? chooseVerb(random) : "ingest";
    if (verb === "report") await watch.refer();
    const drafts = readDrafts(bed.home, bed.reports);
    const ended = await startAndKill(bed, verb, usual[verb], random);
    noteLogs(tale, verb, ended, wasKilled);
    // A report does not open it.
    wasKilled = ended.isKilled || (wasKilled && verb === "report");
    if (ended.isKilled) tale.kills.push({ verb, phase: readPhase(bed.home, bed.reports, drafts) });
    else watch.expectDone(verb, ended);
    await watch.inspect(`after ${verb} was ${ended.isKilled ? "killed" : "done"}`);
  }
  await finish(bed, tale, watch, wasKilled);
  return tale;
}

function noteLogs(tale: Tale, verb: Verb, ended: Ended, isAfterKill: boolean): void {
  if (isAfterKill && isTorn(ended)) tale.torn += 1;
  else tale.failures.push(...logsMoved(ended).map((line) => `${verb}: ${line}`));
}

// A kill within one write of the database leaves a block half written (killed/torn-block.test.ts). The content of such
// a database is compared in the end like all others.
function isTorn({ err }: Ended): boolean {
  return /warehouse\.duckdb does not open: Corrupt database file: computed checksum/.test(err);
}

// Each is moved aside once, with the log beside it.
function besides(left: readonly string[], torn: number): string[] {
  const kinds = [/^warehouse\.duckdb\.damaged-/, /^warehouse\.duckdb\.wal\.corrupt-/];
  const known = kinds.flatMap((kind) => left.filter((name) => kind.test(name)).slice(0, torn));
  return left.filter((name) => !known.includes(name));
}

// Why a log was moved aside is said once, by the process that did it.
function logsMoved({ err }: Ended): string[] {
  return err.split("\n").filter((line) => /\.wal .*renamed to|does not open:/.test(line));
}

function chooseVerb(random: Random): Verb {
  return random.pick(["ingest", "ingest", "ingest", "rebuild", "rebuild", "publish", "report"]);
}

type Watch = {
  /** Makes the reports that the files of the home's folder are to equal from now on. */
  readonly refer: () => Promise<void>;
  readonly expectDone: (verb: Verb, ended: Ended) => void;
  /** Looks at everything that must hold at any moment. */
  readonly inspect: (when: string) => Promise<void>;
};

function newWatch(bed: Testbed, { failures }: Tale): Watch {
  let events = -1;
  const allowed = new Map<string, Set<string>>();
  const reference = `${bed.reports}-whole`;
  const expectDone = (verb: Verb, ended: Ended): void => {
    // A fault of the service may cost a run a window; the next one gets it.
    if (ended.code === 0 || (verb === "ingest" && ended.code === 6)) return;
    failures.push(`${verb} after a kill ended with ${ended.code}: ${lastError(ended)}`);
  };
  return {
    expectDone,
    refer: async () => {
      expectDone("report", await bed.start("report", reference).ended);
      for (const name of csvNames(reference)) {
        const before = csvNames(bed.reports).includes(name) ? [join(bed.reports, name)] : [];
        allowed.set(name, new Set([join(reference, name), ...before].map(readSha256)));
      }
    },
    inspect: async (when) => {
      for (const name of csvNames(bed.reports))
        if (allowed.get(name)?.has(readSha256(join(bed.reports, name))) !== true)
          failures.push(`${when}: ${name} is neither the old nor the new report`);
      if (events < 0 && !existsSync(bed.home.published)) return;
      try {
        const seen = await withPublished(bed.home.published, look);
        failures.push(...seen.complaints.map((complaint) => `${when}: ${complaint}`));
        if (seen.events < events)
          failures.push(`${when}: ${seen.events} events published, ${events} before`);
        events = Math.max(events, seen.events);
      } catch (error) {
        failures.push(`${when}: the published file does not answer: ${String(error)}`);
      }
    },
  };
}

async function finish(bed: Testbed, tale: Tale, watch: Watch, isAfterKill: boolean): Promise<void> {
  const codes: number[] = [];
  const isWhole = async (): Promise<boolean> =>
    codes.filter((code) => code === 0).length >= 2 && (await waiting(bed)) === 0;
  while (codes.length < 12 && !(await isWhole())) {
    const ended = await bed.start("ingest").ended;
    noteLogs(tale, "ingest", ended, isAfterKill && codes.length === 0);
    watch.expectDone("ingest", ended);
    codes.push(ended.code ?? -1);
    await watch.inspect("at the end, after ingest");
    if (codes.length === 12 && !(await isWhole()))
      tale.failures.push(
        `not whole after runs that ended with ${codes.join(", ")}: ${lastError(ended)}`,
      );
  }
  tale.failures.push(...(await wrongIn(bed)));
  watch.expectDone("rebuild", await bed.start("rebuild").ended);
  await watch.inspect("at the end, after rebuild");
  await watch.refer();
  watch.expectDone("report", await bed.start("report").ended);
  await watch.inspect("at the end, after report");
  tale.failures.push(...(await wrongIn(bed)).map((what) => `${what}, after rebuild`));
  const left = besides(leftovers(bed.home), tale.torn);
  tale.failures.push(...left.map((name) => `${name} is left over in the home`));
  tale.drafts = readdirSync(bed.reports).filter((name) => name.endsWith(".tmp")).length;
}

// If a read has contradictions, or omitted equal records, the next one has the rest. Faults can delay that.
async function waiting({ home }: Testbed): Promise<number> {
  return withPublished(home.published, async (query) => {
    const newest = `select withheld, signs from window_reads
      where window_start is not null and not neutral and not is_mark
      qualify row_number() over (partition by window_start order by read_at desc, read_id desc) = 1`;
    const waits = "select count(*) as waiting";
    const [row] = await query(`${waits} from (${newest}) where withheld > 0 or len(signs) > 0`);
    return Number(row?.["waiting"]);
  });
}

// The content of the home compared with what the service showed, and runs without an end.
async function wrongIn({ home, truth }: Testbed): Promise<string[]> {
  return withPublished(home.published, async (query) => {
    const running = await query("select run_id from ingest_runs where outcome = 'running'");
    const unended = running.map((run) => `run ${String(run["run_id"])} counts as running for ever`);
    return [...(await compare(query, truth)), ...unended];
  });
}

function csvNames(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".csv")) : [];
}
