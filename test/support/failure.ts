import { expect } from "vitest";
import type { Outcome } from "./command.ts";

/** Checks that a verb failed as it should, saying one line and none of the secrets; returns the line. */
export function failureLine(
  { code, out, err }: Outcome,
  expected: number,
  secrets: readonly string[],
): string {
  const errors = err.split("\n").filter((line) => line.startsWith("error:"));
  expect({ code, out, errors: errors.length, err }).toEqual({
    code: expected,
    out: "",
    errors: 1,
    err,
  });
  expect(err).not.toMatch(/^\s+at .*:\d+/m);
  for (const secret of secrets) expect(out + err).not.toContain(secret);
  return errors[0]!;
}
