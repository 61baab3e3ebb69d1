import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

// Text of all kinds comes from outside: headers, bodies, records, command lines, messages of the database. A pattern
// that restarts at each position costs the square of its length.

const root = new URL("../../", import.meta.url).pathname;
const literal =
  /(?:[=(,:?![]|return|\|\|)\s*\/((?![*/])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([dgimsuvy]*)/g;

const raw = /String\.raw`([^`$]*)`/g;

/** The patterns of a file: those between slashes, and those in raw texts that have nothing put into them. */
function* sourcesIn(text: string): Generator<readonly [string, string]> {
  for (const [, source = ""] of text.matchAll(raw)) yield [source, ""];
  for (const [, source = "", flags = ""] of text
    .replaceAll(/String\.raw`[^`]*`/g, '""')
    .matchAll(literal))
    yield [source, flags];
}

const patterns = globSync(["pipeline/**/*.ts", "schemas/*.ts", "schemas/connectors/*.ts"], {
  cwd: root,
}).flatMap((file) =>
  [...sourcesIn(readFileSync(root + file, "utf8"))].map(([source, flags]) => ({
    place: `${file}: /${source}/${flags}`,
    pattern: new RegExp(source, flags),
    source,
  })),
);

/** Texts that a pattern may stumble over: what it names, over and over, behind something that is none of it. */
function* hostile(source: string): Generator<readonly [string, string]> {
  const named = source.replaceAll(/\\[a-zA-Z]/g, "").match(/[^\\[\](){}?*+|^]/g) ?? [];
  const units = [...new Set([..." \n0a.", ...named])].slice(0, 9);
  for (const one of units) for (const other of [...units, ""]) yield [one + other, ""];
  for (const head of [source.replace(/\\?[^\w"'$<{-].*$/s, ""), "${", "{{", "1", '"'])
    for (const one of units) yield [one, head];
}

function costUs(pattern: RegExp, text: string): number {
  const start = process.cpuUsage();
  text.replace(pattern, "");
  return process.cpuUsage(start).user;
}

// Sixteen times the text: a square costs 256 times as much. What is too quick to measure counts as this.
const [short, long, leastUs, most] = [500, 8000, 200, 50];

it("regular expressions of the sources are found", () => {
  expect(patterns.length).toBeGreaterThan(80);
});

it("regular expressions take time in proportion to the text, with any content", () => {
  const slow = patterns.flatMap(({ place, pattern, source }) => {
    for (const [unit, head] of hostile(source)) {
      const [small, large] = [short, long].map(
        (length) => `${head}${unit.repeat(length / unit.length)}\u0001`,
      );
      const ratio = (): number =>
        costUs(pattern, large!) / Math.max(leastUs, costUs(pattern, small!));
      // A slowdown by another process does not occur the next time.
      if ([0, 1, 2].every(() => ratio() > most)) return [`${place} on ${JSON.stringify(unit)}`];
    }
    return [];
  });
  expect(slow).toEqual([]);
});
