import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import {
  askOnTerminal,
  confirmChange,
  confirmWithText,
} from "../../../../pipeline/base/terminal/confirm.ts";
import type { World } from "../../../../pipeline/base/world.ts";
import { testWorld } from "../../../support/world.ts";

function newWorld(typed: string, signal?: AbortSignal, isTTY = true) {
  const stderr = new PassThrough();
  const stdin = Object.assign(new PassThrough().end(typed), { isTTY });
  const world: World = testWorld({ stdin, stderr, ...(signal && { signal }) });
  return { world, shown: (): string => String(stderr.read() ?? "") };
}

it.each([
  ["y\n", true, ""],
  ["YES \n", true, ""],
  ["yes", true, ""],
  ["yesterday\n", false, ""],
  ["n\n", false, ""],
  ["\n", false, ""],
  ["", false, "\n"],
])("%j is read as %s, and an unfinished line is ended", async (typed, expected, end) => {
  const { world, shown } = newWorld(typed);
  expect(await confirmChange("Go on?", world)).toBe(expected);
  expect(shown()).toBe(`Go on? [y/N] ${end}`);
});

it("no question is asked without a terminal", async () => {
  const { world, shown } = newWorld("y\n", undefined, false);
  expect([await askOnTerminal(world)("Go on?"), shown()]).toEqual([false, ""]);
  const asked = newWorld("y\n");
  expect([await askOnTerminal(asked.world)("Go on?"), asked.shown()]).toEqual([
    true,
    "Go on? [y/N] ",
  ]);
});

it.each([
  ["y\n a reason \n", "a reason", "Go on? [y/N] Why: "],
  ["y\n\n", "", "Go on? [y/N] Why: "],
  ["y\n", "", "Go on? [y/N] Why: \n"],
  ["n\na reason\n", undefined, "Go on? [y/N] "],
])("a text is requested after a yes: %j", async (typed, expected, text) => {
  const { world, shown } = newWorld(typed);
  expect(await confirmWithText("Go on?", "Why", world)).toBe(expected);
  expect(shown()).toBe(text);
});

it("Ctrl-C is a no, also when the text is requested", async () => {
  for (const typed of ["", "y\n"]) {
    const controller = new AbortController();
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    stdin.write(typed);
    const { world } = newWorld("", controller.signal);
    const asked = confirmWithText("Go on?", "Why", { ...world, stdin });
    setImmediate(() => controller.abort());
    expect(await asked).toBeUndefined();
  }
});
