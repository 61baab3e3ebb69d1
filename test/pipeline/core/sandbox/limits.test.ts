import { expect, it } from "vitest";
import {
  confineProgram,
  graceMs,
  type QueryLimits,
} from "../../../../pipeline/core/sandbox/limits.ts";

const limits = (timeoutMs: number, threads: number, memoryLimit = "600MB"): QueryLimits => ({
  timeoutMs,
  timeoutName: "--timeout",
  maxRows: 1,
  maxBytes: undefined,
  memoryLimit,
  threads,
});

/** What the shell is given: blocks of a file, seconds of processor time, kilobytes of memory. */
function listNumbers(given: QueryLimits, mayWrite = false): readonly (string | undefined)[] {
  const { file, args } = confineProgram(["/bin/node", "child.ts"], given, mayWrite);
  expect([file, args.slice(-2)]).toEqual(["/bin/sh", ["/bin/node", "child.ts"]]);
  return args.slice(3, 6);
}

it("each thread has the time of the query, a grace period, and a few seconds to start", () => {
  for (const timeoutMs of [1, 1000, 30_000, 600_000])
    for (const threads of [1, 2, 8]) {
      const seconds = Math.ceil(((timeoutMs + graceMs) / 1000 + 5) * threads);
      expect(listNumbers(limits(timeoutMs, threads))[1]).toBe(String(seconds));
    }
  expect(listNumbers(limits(30_000, 2))[1]).toBe("74");
});

it("the process has the memory of the database and 1.2 GB more, and may write files only where allowed", () => {
  expect(listNumbers(limits(1000, 1, "600MB"))[2]).toBe(String(Math.ceil(1.8e9 / 1024)));
  expect(listNumbers(limits(1000, 1, "2GB"))[2]).toBe(String(Math.ceil(3.2e9 / 1024)));
  expect(listNumbers(limits(1000, 1))[0]).toBe("0");
  expect(listNumbers(limits(1000, 1), true)[0]).toBe("unlimited");
});
