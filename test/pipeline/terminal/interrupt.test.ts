import { expect, it } from "vitest";
import { printOnInterrupt } from "../../../pipeline/terminal/interrupt.ts";
import { testWorld } from "../report/support.ts";

it("prints its line once, as soon as somebody interrupts, and nothing when it is over", () => {
  const controller = new AbortController();
  const world = testWorld({}, controller.signal);
  {
    using _over = printOnInterrupt(world, "too late");
  }
  using _waiting = printOnInterrupt(world, "stopping");
  expect(world.err()).toBe("");
  controller.abort();
  controller.abort();
  expect(world.err()).toBe("stopping\n");
});
