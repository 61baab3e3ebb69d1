import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { projectPath } from "./docs/pages.ts";

// Rules for all tests.

const files = globSync("**/*.ts", { cwd: projectPath("test") }).filter(
  (file) => file !== "tests.test.ts",
);
const readText = (file: string): string => readFileSync(projectPath(`test/${file}`), "utf8");

// Two are exempt: a wait in a loop checks for a sign each time, and a random kill uses a drawn number.
const strike = String.raw`\b(?:abort|kill|signal)\(`;
const timers = [
  String.raw`setTimeout\((?:async )?\(\) => [^\n]*${strike}`,
  String.raw`\n\s*await (?:wait|sleep|pause|delay|setTimeout)\([^\n]*(?<![\w$])\d[\d_]*\b[^\n]*\n\s*[^\n]*${strike}`,
];
const joining =
  /^ *(?:(?:it|test|describe)\b[^\n]*?)?"(?:and|nor|so|but) [^"\n]*",(?=\n| async| \(| \{)/gm;
const bounds = /\b(?:ms|tookMs|elapsed\w*)\b(?:\)\.toBeLess\w*\(| <=? )\d/g;

function linesWith(pattern: RegExp): string[] {
  return files.flatMap((file) => {
    const text = readText(file);
    return [...text.matchAll(pattern)].map(
      ({ index }) => `${file}:${text.slice(0, index).split("\n").length}`,
    );
  });
}

describe("a test", () => {
  it("waits for a sign before it aborts or kills, and not for a time", () => {
    expect(files.length).toBeGreaterThan(300);
    expect(linesWith(new RegExp(timers.join("|"), "g"))).toEqual([]);
  });

  it("has a title that is complete without the previous one", () => {
    expect(linesWith(joining)).toEqual([]);
  });

  it("asserts no wall-clock time, since others may need the machine", () => {
    expect(linesWith(bounds)).toEqual([]);
  });
});
