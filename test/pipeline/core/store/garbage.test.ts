import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { collectGarbage } from "../../../../pipeline/core/store/derived.ts";

// Whoever looks at what may go keeps it for this turn, as may a register of the function that made it.
const newPage = (): WeakRef<ArrayBufferLike> => new WeakRef(Buffer.alloc(1e6).buffer);

it("gives back what pages took that nobody has any more", async () => {
  const page = newPage();
  expect(page.deref()).toBeDefined();
  await turn();
  collectGarbage();
  expect(page.deref()).toBeUndefined();
});
