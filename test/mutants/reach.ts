import {
  cpSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { noteModule } from "./note.ts";
import { withProbes } from "./probes.ts";
import { runTests } from "./vitest.ts";

/** Which test files reach what: a region of code as `file:start`, a file of SQL by its path. */
export type Reach = {
  readonly testsOf: ReadonlyMap<string, ReadonlySet<string>>;
  /** An empty database, as the tests begin with. */
  readonly warehouse: string;
  /** Milliseconds of each test file that passes where nothing is changed. */
  readonly durations: ReadonlyMap<string, number>;
};

/** Represents what makes the empty database, before any test. */
export const preparing = "preparing";

/** The test files of `make test`, without those of the mutants themselves, which end the noting. */
export function testFiles(root: string): string[] {
  const others = /^test\/(?:fault|browser|lake|engine|mutants)(?:\/|$)/;
  return globSync("test/**/*.test.ts", {
    cwd: root,
    exclude: (path) => others.test(path),
  }).toSorted();
}

/** Test files of the laboratory, of the pages and of the lake, which take minutes: what they reach is not noted. */
export function laboratoryTests(root: string): string[] {
  return globSync("test/{fault,browser,lake}/**/*.test.ts", { cwd: root }).toSorted();
}

/** Runs all tests once in a copy of the tree that notes what they reach; returns those that do not pass there. */
export async function noteReach(root: string, folder: string): Promise<readonly string[]> {
  const copy = join(folder, "noting");
  for (const earlier of [copy, join(folder, "confined"), join(folder, "reached.txt")])
    rmSync(earlier, { recursive: true, force: true });
  cpSync(root, copy, { recursive: true, verbatimSymlinks: true });
  mkdirSync(join(folder, "confined"));
  const note = join(folder, "note.mjs");
  writeFileSync(note, noteModule(folder));
  for (const file of globSync("pipeline/**/*.ts", { cwd: copy })) {
    const path = join(copy, file);
    writeFileSync(path, withProbes(readFileSync(path, "utf8"), file, note));
  }
  writeFileSync(join(folder, "current"), preparing);
  const env = { MUTANTS_CURRENT: join(folder, "current"), MUTANTS_KEPT: warehouseIn(folder) };
  const { durations, failed } = await runTests({ root: copy, tests: testFiles(copy), env });
  const passed = [...durations].filter(([test]) => !failed.includes(test));
  writeFileSync(join(folder, "durations.json"), JSON.stringify(Object.fromEntries(passed)));
  return failed;
}

/** What was noted; undefined where it was not noted yet. */
export function readReach(folder: string): Reach | undefined {
  const durations = readText(join(folder, "durations.json"));
  if (durations === undefined) return undefined;
  const confined = readdirSync(join(folder, "confined")).map(decodeURIComponent);
  const testsOf = new Map<string, Set<string>>();
  for (const line of [...readText(join(folder, "reached.txt"))!.split("\n"), ...confined]) {
    const [what = "", test = ""] = line.split("\t");
    testsOf.set(what, (testsOf.get(what) ?? new Set()).add(test));
  }
  const ms = Object.entries(JSON.parse(durations) as Record<string, number>);
  return { testsOf, durations: new Map(ms), warehouse: warehouseIn(folder) };
}

const warehouseIn = (folder: string): string => join(folder, "warehouse.duckdb");

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
