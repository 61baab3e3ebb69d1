import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { printOnInterrupt } from "../../../../pipeline/base/terminal/confirm.ts";
import { testWorld } from "../../../support/world.ts";

it("an interrupt prints its line once, and nothing afterwards", async () => {
  const controller = new AbortController();
  const world = testWorld({ signal: controller.signal });
  {
    using _over = printOnInterrupt(world, "too late");
  }
  using _waiting = printOnInterrupt(world, "stopping");
  await turn();
  expect(world.err()).toBe("");
  controller.abort();
  controller.abort();
  await turn();
  expect(world.err()).toBe("stopping\n");
});
