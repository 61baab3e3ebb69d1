import { expect, test } from "vitest";
import { writtenCases } from "./hostile/cases.ts";
import { hostileFigure } from "./hostile.ts";

test("hostile statements change nothing and end in time", { timeout: 300_000 }, async () => {
  expect(hostileFigure.short).toBe(writtenCases({ db: "", dir: "", secret: "" }).length);
  const { done, failures } = await hostileFigure.run(hostileFigure.short, 1, () => undefined);
  expect(failures).toEqual([]);
  expect(done).toBe(hostileFigure.short);
});
