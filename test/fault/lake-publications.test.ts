import { expect, test } from "vitest";
import { lakePublicationsFigure } from "./lake-publications.ts";

test("nights of a home that prunes, beside one that does not", { timeout: 900_000 }, async () => {
  const { done, failures } = await lakePublicationsFigure.run(
    lakePublicationsFigure.short,
    1,
    () => undefined,
  );
  expect(failures).toEqual([]);
  expect(done).toBe(lakePublicationsFigure.short);
});
