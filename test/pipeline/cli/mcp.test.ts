import { join } from "node:path";
import { tmpdir } from "node:os";
import { expect, it } from "vitest";
import { run } from "../../support/command.ts";

// A home that is not there: what may be asked is looked at before what there is to ask.
const mcp = (...flags: string[]) =>
  run(["--home", join(tmpdir(), "no-such-home"), "mcp", ...flags]);

it.each([
  ["--timeout", "0s", "a duration up to 1h"],
  ["--timeout", "61m", "a duration up to 1h"],
  ["--timeout", "soon", "a duration up to 1h"],
  ["--max-rows", "0", "a whole number from 1"],
  ["--max-rows", "1.5", "a whole number from 1"],
  ["--max-bytes", "-1", "a whole number from 1"],
])("mcp refuses %s %s", async (flag, value, expected) => {
  const { code, err } = await mcp(`${flag}=${value}`);
  expect([code, err]).toEqual([2, expect.stringContaining(`Expected ${expected}`)]);
});

it.each(["--timeout=1s", "--timeout=1h", "--max-rows=1", "--max-bytes=99999999"])(
  "mcp accepts %s, and prints what to run if nothing is published",
  async (flag) => {
    const { code, err } = await mcp(flag);
    expect([code, err]).toEqual([1, expect.stringContaining("nothing published yet")]);
  },
);
