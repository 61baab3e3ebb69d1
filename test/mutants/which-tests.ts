import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Mutant } from "./place.ts";
import { listRegions, type Region } from "./probes.ts";
import { preparing, type Reach } from "./reach.ts";
import { findNames } from "../support/named.ts";

/** The tree that mutants are made in: its sources and tests by path. */
export type Tree = { readonly root: string; readonly texts: ReadonlyMap<string, string> };

/** Reads the sources and tests of a tree. */
export function readTree(root: string): Tree {
  const files = globSync("{pipeline,test,queries}/**/*.{ts,sql}", { cwd: root });
  return {
    root,
    texts: new Map(files.map((file) => [file, readFileSync(join(root, file), "utf8")])),
  };
}

/** The test files that mirror the file of a mutant or name it, and then all others that reach it, likeliest first. */
export function testsFor(
  tree: Tree,
  { testsOf, durations }: Reach,
  mutant: Mutant,
): { readonly mirrored: string[]; readonly others: string[] } {
  const mirror = `test/${mutant.file.replace(/\.(?:ts|sql)$/, "")}`;
  const isMirrored = (test: string): boolean =>
    test.startsWith(`${mirror}.test`) ||
    test.startsWith(`${mirror}/`) ||
    names(tree, test, mutant.file);
  const reaching = new Set(
    readPlaces(tree, mutant).flatMap((place) => [...(testsOf.get(place) ?? [])]),
  );
  const touched = regionsTouched(testsOf, mutant.file);
  const cost = (test: string): number =>
    durations.get(test)! / (1 + (touched.get(test) ?? 0)) / 4 ** sharedWords(mutant.file, test);
  const all = [...durations.keys()].toSorted((a, b) => cost(a) - cost(b));
  const mirrored = all.filter(isMirrored);
  return { mirrored, others: all.filter((test) => reaching.has(test) && !mirrored.includes(test)) };
}

// Each report has its answer there.
const goldens = "test/queries/golden.test.ts";

// Reports and views are named as such, other files by their paths.
function names({ texts }: Tree, test: string, file: string): boolean {
  const text = texts.get(test) ?? "";
  if (file.startsWith("queries/reports/") && test === goldens) return true;
  if (!/^queries\/(?:reports|views)\//.test(file))
    return findNames(text).some(({ covers }) => covers(file));
  return new RegExp(`\\b${basename(file, ".sql")}\\b`).test(text);
}

// The share of a file that each test reaches: a test that covers most of it is about it.
function regionsTouched(testsOf: Reach["testsOf"], file: string): Map<string, number> {
  const touched = new Map<string, number>();
  for (const [place, tests] of testsOf)
    if (place.startsWith(`${file}:`))
      for (const test of tests) touched.set(test, (touched.get(test) ?? 0) + 1);
  return touched;
}

function sharedWords(file: string, test: string): number {
  const [inFile, inTest] = [file, test].map((path) => new Set(path.match(/[a-z]+/g)));
  const common = ["test", "ts", "sql", "pipeline"];
  return [...inFile!].filter((word) => inTest!.has(word) && !common.includes(word)).length;
}

/** Whether the empty database that tests begin with may be another. */
export function isPreparedBy(tree: Tree, { testsOf }: Reach, mutant: Mutant): boolean {
  return readPlaces(tree, mutant).some((place) => testsOf.get(place)?.has(preparing));
}

// Code outside of any region runs when the file is loaded: then all tests count that reach the file, or one that
// imports it.
function readPlaces(tree: Tree, { file, start }: Mutant): string[] {
  if (file.endsWith(".sql")) return [file, ...listNames(tree, file)];
  return placesAt(tree, file, start);
}

function placesAt(tree: Tree, file: string, at: number): string[] {
  const within = listRegions(tree.texts.get(file)!).filter(
    ({ start, end }) => start <= at && at < end,
  );
  const size = ({ start, end }: Region): number => end - start;
  const [inner] = within.toSorted((a, b) => size(a) - size(b));
  if (inner !== undefined) return [`${file}:${inner.start}`];
  return [file, ...readImporters(tree, file)].flatMap((one) =>
    listRegions(tree.texts.get(one)!).map(({ start }) => `${one}:${start}`),
  );
}

function readImporters({ texts }: Tree, file: string): string[] {
  return [...texts].flatMap(([importer, text]) => {
    if (!importer.startsWith("pipeline/")) return [];
    const used = [...text.matchAll(/from "(\.[^"]+)"/g)].map(([, path]) =>
      join(dirname(importer), path!),
    );
    return used.includes(file) ? [importer] : [];
  });
}

// They are read once, and then kept: where code names the file, it is used.
function listNames(tree: Tree, query: string): string[] {
  return [...tree.texts].flatMap(([file, text]) => {
    if (!file.startsWith("pipeline/")) return [];
    const own = findNames(text).filter(({ covers }) => covers(query));
    return own.flatMap(({ at }) => placesAt(tree, file, at));
  });
}
