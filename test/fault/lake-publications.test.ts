import { expect, test } from "vitest";
import { lakePublicationsFigure } from "./lake-publications.ts";

test(
  "a home that prunes daily has the same lake as one that does not prune",
  { timeout: 900_000 },
  async () => {
    const { done, failures } = await lakePublicationsFigure.run(
      lakePublicationsFigure.short,
      1,
      () => undefined,
    );
    expect(failures).toEqual([]);
    expect(done).toBe(lakePublicationsFigure.short);
  },
);
