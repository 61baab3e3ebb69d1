import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import pLimit from "p-limit";
import { version as duckdbVersion } from "@duckdb/node-api";
import type { Figure } from "./figure.ts";
import { figures } from "./figures.ts";
import { tableHead, tableLine, type Row } from "./table.ts";

// What `make fault` runs: the figures in their long form, progress on standard error, each row of the
// table as soon as it is measured, so that a run that is stopped leaves what it has come to.
// Exits 0 only where no figure failed, and 2 for a wrong option.

type Wanted = {
  readonly figures: readonly Figure[];
  /** Units of each figure; undefined stands for its own number. */
  readonly count: number | undefined;
  readonly isShort: boolean;
  readonly seed: number;
  /** Figures at once. */
  readonly jobs: number;
};

const say = (line: string): void => void process.stderr.write(`${line}\n`);

function readOptions(): Wanted {
  const { values } = parseArgs({
    options: {
      only: { type: "string", multiple: true, default: [] },
      short: { type: "boolean", default: false },
      count: { type: "string" },
      seed: { type: "string", default: "1" },
      jobs: { type: "string", default: "1" },
    },
  });
  return {
    figures: chosen(values.only),
    count: values.count === undefined ? undefined : whole("--count", values.count),
    isShort: values.short,
    seed: whole("--seed", values.seed),
    jobs: Math.max(1, whole("--jobs", values.jobs)),
  };
}

function chosen(only: readonly string[]): readonly Figure[] {
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

async function measure(figure: Figure, { count, isShort, seed }: Wanted): Promise<Row> {
  const asked = count ?? (isShort ? figure.short : figure.long);
  const start = performance.now();
  const tell = (line: string): void => say(`${figure.name}: ${line}`);
  tell(`${asked} ${figure.unit}, seed ${seed}`);
  const measured = await figure.run(asked, seed, tell).catch((error: unknown) => ({
    done: 0,
    failures: [`seed ${seed}: the laboratory itself failed: ${String(error)}`],
  }));
  const seconds = (performance.now() - start) / 1000;
  const failures = [...measured.failures];
  if (measured.done < asked)
    failures.push(`seed ${seed}: ${measured.done} of ${asked} ${figure.unit} were carried out`);
  for (const failure of failures) tell(`${failure}\n  ${replayOf(figure, failure, seed)}`);
  tell(`${failures.length} failures in ${seconds.toFixed(0)} s`);
  return { figure, asked, seconds, ...measured, failures };
}

function replayOf({ name, perSeed = 1 }: Figure, failure: string, seed: number): string {
  const failed = /^seed (\d+)/.exec(failure)?.[1] ?? String(seed);
  const only = name.includes(" ") ? `"${name}"` : name;
  return `replay: node test/fault/run.ts --only ${only} --seed ${failed} --count ${perSeed}`;
}

async function runFigures(wanted: Wanted): Promise<void> {
  const limit = pLimit(wanted.jobs);
  const facts = [
    new Date().toISOString().slice(0, 10),
    `Node ${process.versions.node}`,
    `DuckDB ${duckdbVersion()}`,
    `${availableParallelism()} cores`,
    `seed ${wanted.seed}`,
  ];
  const show = (row: Row): Row => {
    process.stdout.write(`${tableLine(row)}\n`);
    return row;
  };
  process.stdout.write(`${facts.join(", ")}\n\n${tableHead}\n`);
  const rows = await Promise.all(
    wanted.figures.map((figure) => limit(async () => show(await measure(figure, wanted)))),
  );
  process.exitCode = rows.every(({ failures }) => failures.length === 0) ? 0 : 1;
}

try {
  await runFigures(readOptions());
} catch (error) {
  say(`error: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 2;
}
