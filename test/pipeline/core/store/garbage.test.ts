import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { collectGarbage } from "../../../../pipeline/core/store/derived.ts";

// A reference to an object retains it for this turn, as may a register of the function that made it.
const newPage = (): WeakRef<ArrayBufferLike> => new WeakRef(Buffer.alloc(1e6).buffer);

it("the space of deleted pages is reused", async () => {
  const page = newPage();
  expect(page.deref()).toBeDefined();
  await turn();
  collectGarbage();
  expect(page.deref()).toBeUndefined();
});
