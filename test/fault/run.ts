import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import pLimit from "p-limit";
import { version as duckdbVersion } from "@duckdb/node-api";
import type { Figure } from "./figure.ts";
import { figures } from "./figures.ts";
import { keep, keptFile, readKept, type Kept } from "./stored-rows.ts";
import { tableHead, tableLine, type Row } from "./table.ts";

// Runs the figures of `make fault` in their long form, with progress on standard error and each row of the table as
// soon as it is measured. A stopped run resumes, as long as nothing has changed; --fresh starts again. Exits 0 only
// if no figure failed, and 2 for a wrong option.

type Wanted = {
  readonly figures: readonly Figure[];
  /** Units of each figure; undefined means its own number. */
  readonly count: number | undefined;
  readonly isShort: boolean;
  readonly seed: number;
  /** Figures at once. */
  readonly jobs: number;
  /** Measures what an earlier run of the same version has measured, too. */
  readonly isFresh: boolean;
};

/** What the rows of a run have in common. */
type Run = { readonly date: string; readonly facts: string; readonly file: string | undefined };

const print = (line: string): void => void process.stderr.write(`${line}\n`);

function readOptions(): Wanted {
  const { values } = parseArgs({
    options: {
      only: { type: "string", multiple: true, default: [] },
      short: { type: "boolean", default: false },
      count: { type: "string" },
      seed: { type: "string", default: "1" },
      jobs: { type: "string", default: "1" },
      fresh: { type: "boolean", default: false },
    },
  });
  return {
    figures: choose(values.only),
    count: values.count === undefined ? undefined : whole("--count", values.count),
    isShort: values.short,
    seed: whole("--seed", values.seed),
    jobs: Math.max(1, whole("--jobs", values.jobs)),
    isFresh: values.fresh,
  };
}

function choose(only: readonly string[]): readonly Figure[] {
  const names = figures.map(({ name }) => name);
  const unknown = only.find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new RangeError(`--only ${unknown}: no such figure; there are ${names.join(", ")}`);
  return figures.filter(({ name }) => only.length === 0 || only.includes(name));
}

function whole(flag: string, text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new RangeError(`${flag}: expected a whole number, got ${JSON.stringify(text)}`);
}

async function measure(figure: Figure, wanted: Wanted, run: Run): Promise<Row> {
  const { count, isShort, isFresh, seed } = wanted;
  const asked = count ?? (isShort ? figure.short : figure.long);
  const report = (line: string): void => print(`${figure.name}: ${line}`);
  const before = isFresh ? undefined : keptRow(figure, asked, run);
  if (before !== undefined) {
    report(`held on ${before.date}, and nothing has changed; --fresh measures it again`);
    return { figure, ...before, failures: [] };
  }
  const start = performance.now();
  report(`${asked} ${figure.unit}, seed ${seed}`);
  const measured = await figure.run(asked, seed, report).catch((error: unknown) => ({
    done: 0,
    failures: [`seed ${seed}: the laboratory itself failed: ${String(error)}`],
  }));
  const row = { figure, asked, seconds: (performance.now() - start) / 1000, ...measured };
  const failures = [...measured.failures];
  if (measured.done < asked)
    failures.push(`seed ${seed}: ${measured.done} of ${asked} ${figure.unit} were carried out`);
  for (const failure of failures) report(`${failure}\n  ${makeReplay(figure, failure, seed)}`);
  report(`${failures.length} failures in ${row.seconds.toFixed(0)} s`);
  if (failures.length === 0) keepRow(row, run);
  return { ...row, failures };
}

function keptRow({ name }: Figure, asked: number, { file, facts }: Run): Kept | undefined {
  const rows = file === undefined ? [] : readKept(file);
  return rows.find((row) => row.name === name && row.asked === asked && row.facts === facts);
}

function keepRow({ figure, asked, done, note, seconds }: Row, { file, facts, date }: Run): void {
  // Changes in the meantime were not measured.
  if (file === undefined || keptFile() !== file) return;
  keep(file, { facts, date, name: figure.name, asked, done, note, seconds });
}

function makeReplay({ name, perSeed = 1 }: Figure, failure: string, seed: number): string {
  const failed = /^seed (\d+)/.exec(failure)?.[1] ?? String(seed);
  const only = name.includes(" ") ? `"${name}"` : name;
  return `replay: node test/fault/run.ts --only ${only} --seed ${failed} --count ${perSeed}`;
}

async function runFigures(wanted: Wanted): Promise<void> {
  const limit = pLimit(wanted.jobs);
  const date = new Date().toISOString().slice(0, 10);
  const facts = [
    `Node ${process.versions.node}`,
    `DuckDB ${duckdbVersion()}`,
    `${availableParallelism()} cores`,
    `seed ${wanted.seed}`,
  ].join(", ");
  // A replay, or a part, is run to watch it.
  const isWhole = wanted.count === undefined && !wanted.isShort;
  const run: Run = { date, facts, file: isWhole ? keptFile() : undefined };
  const show = (row: Row): Row => {
    process.stdout.write(`${tableLine(row)}\n`);
    return row;
  };
  process.stdout.write(`${date}, ${facts}\n\n${tableHead}\n`);
  const rows = await Promise.all(
    wanted.figures.map((figure) => limit(async () => show(await measure(figure, wanted, run)))),
  );
  process.exitCode = rows.every(({ failures }) => failures.length === 0) ? 0 : 1;
}

try {
  await runFigures(readOptions());
} catch (error) {
  print(`error: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 2;
}
