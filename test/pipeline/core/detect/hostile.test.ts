import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { fillCommand, fillSentence } from "../../../../pipeline/core/detect/hits.ts";
import { findReports } from "../../../../pipeline/base/report/find.ts";
import { hostileValues } from "../../../support/hostile-values.ts";

const forms = findReports().reports.flatMap(({ name, detection }) =>
  detection === undefined ? [] : [{ name, ...detection }],
);

// The arguments that bash gives to a program with each of several commands, in a plain locale.
function readArguments(commands: readonly string[]): string[][] {
  const script = `auditlake() { printf '%s\\0' "$#" "$@"; }\n${commands.join("\n")}\n`;
  const options = {
    input: script,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], LC_ALL: "C" },
  } as const;
  const words = execFileSync("bash", ["--norc"], options).split("\0").slice(0, -1);
  return commands.map(() => words.splice(0, Number(words.shift())));
}

const templates = [...new Set(forms.flatMap(({ next }) => (next === undefined ? [] : [next])))];

test.each(templates)("bash reads every hostile value in %s as one argument", (template) => {
  const commands = hostileValues.map((value) => fillCommand(template, () => value));
  const read = readArguments(commands);
  for (const [at, value] of hostileValues.entries()) {
    expect(commands[at]).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    const words = read[at]!;
    const found = words.flatMap((word) =>
      word.startsWith("--") && word.includes("=")
        ? [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)]
        : [word],
    );
    const wanted = template
      .split(" ")
      .slice(1)
      .map((word) =>
        /^\{\w+\}$/.test(word)
          ? value
          : /^\{\w+:date\}$/.test(word)
            ? value.split(/[ T]/)[0]
            : word,
      );
    // Arguments that begin with a dash follow "--".
    const isLast = /^auditlake [a-z ]*\{\w+\}/.test(template) && value.startsWith("-");
    if (isLast) expect(words.slice(-2), value.slice(0, 100)).toEqual(["--", value]);
    else expect(found, value.slice(0, 100)).toEqual(wanted);
  }
});

test("a sentence shows bytes with a unit, moments to the minute and counts with their noun", () => {
  expect(fillSentence("{n:count result}, {n:count right}", () => "1")).toBe("1 result, 1 right");
  expect(fillSentence("{n:count result}", () => "2500")).toBe("2,500 results");
  for (const moment of ["2026-11-09T11:07:19Z", "2026-11-09 11:07:19.000"])
    expect(fillSentence("from {since:time}", () => moment)).toBe("from 2026-11-09 11:07");
  expect(fillSentence("{bytes:bytes} in a day", () => "25598265970")).toBe("25.6 GB in a day");
});

test("a sentence has each value on one line, visible, and in at most 80 characters", () => {
  for (const { message } of forms)
    for (const value of hostileValues) {
      const sentence = fillSentence(message, () => value);
      expect(sentence).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      expect(sentence.length).toBeLessThan(message.length + 80 * message.split("{").length);
    }
});
