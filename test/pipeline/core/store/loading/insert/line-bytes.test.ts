import { expect, it } from "vitest";
import type { StagedPage } from "../../../../../../pipeline/core/store/loading/read-facts.ts";
import { countLineBytes } from "../../../../../../pipeline/core/store/loading/insert.ts";

it("the database has memory for the longest line with its end, and at least a megabyte", () => {
  const page = (longest: number): StagedPage => ({ longest }) as StagedPage;
  const mega = 1024 * 1024;
  expect(countLineBytes([])).toBe(mega);
  expect(countLineBytes([page(5), page(mega - 1)])).toBe(mega);
  expect(countLineBytes([page(mega), page(5)])).toBe(mega + 1);
  expect(countLineBytes([page(5), page(3 * mega)])).toBe(3 * mega + 1);
});
