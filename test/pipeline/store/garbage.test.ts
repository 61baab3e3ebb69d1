import { expect, it } from "vitest";
import { collectGarbage } from "../../../pipeline/store/garbage.ts";

it("gives back what pages took that nobody has any more", () => {
  const bytes = 64e6;
  const before = process.memoryUsage().arrayBuffers;
  let page: Buffer | undefined = Buffer.alloc(bytes);
  collectGarbage();
  expect(process.memoryUsage().arrayBuffers).toBeGreaterThanOrEqual(page.length);
  page = undefined;
  collectGarbage();
  expect(process.memoryUsage().arrayBuffers).toBeLessThan(before + bytes / 2);
});
