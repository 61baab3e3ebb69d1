import { readFileSync } from "node:fs";
import type { Figure } from "./figure.ts";
import { runSuite, testFiles } from "./suite.ts";

// Besides the figures: the laboratory's test files, those whose cases take several runs, and generators with a long
// form.
const files = testFiles().filter(
  (file) =>
    /^test\/fault\/|\.simulation\.test\.ts$/.test(file) ||
    readFileSync(file, "utf8").includes("fewOrAll("),
);

/** The families beside the figures: what `make fault-short` plays in part, with all seeds, rounds and styles. */
export const familiesFigure: Figure = {
  name: "families",
  unit: "test files",
  asked: "all hold with all of their seeds, rounds and styles",
  long: files.length,
  short: 1,
  perSeed: files.length,
  run: async (count, seed) => {
    const run = await runSuite(files.slice(0, count), { FAULT_LONG: "1" });
    const lines = run.out.split("\n").filter((line) => /FAIL|Error:/.test(line));
    const failures = [`seed ${seed}: the tests fail`, ...lines.slice(0, 20)];
    return { done: Math.min(count, files.length), failures: run.code === 0 ? [] : failures };
  },
};
