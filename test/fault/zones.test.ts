import { expect, test } from "vitest";
import { zonesFigure } from "./zones.ts";

test("reports have the same bytes in every time zone", { timeout: 600_000 }, async () => {
  const { done, failures } = await zonesFigure.run(zonesFigure.short, 1, () => undefined);
  expect(failures).toEqual([]);
  expect(done).toBe(zonesFigure.short);
});
