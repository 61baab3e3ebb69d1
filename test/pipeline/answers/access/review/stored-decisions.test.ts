import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { resolveHome } from "../../../../../pipeline/base/home/layout.ts";
import {
  findReview,
  keepReview,
  listReviews,
} from "../../../../../pipeline/answers/access/review/stored-decisions.ts";
import { newHome } from "../../../../support/home.ts";

it("complete reviews are listed, oldest first, and other files are ignored", async () => {
  using kept = newHome();
  const home = resolveHome(kept.home);
  expect(listReviews(home)).toEqual([]);
  const review = {
    version: 1 as const,
    source: "a",
    on: "2026-01-01T00:00:00Z",
    items: [],
    policies: {},
  };
  for (const id of ["20260202-b", "20260101-a"])
    await keepReview(home, { ...review, review_id: id });
  mkdirSync(join(home.root, "reviews", "20260303-begun"));
  mkdirSync(join(home.root, "reviews", ".hidden"));
  writeFileSync(join(home.root, "reviews", ".hidden", "review.json"), "{}");
  expect(listReviews(home)).toEqual(["20260101-a", "20260202-b"]);
  expect(findReview(home, "20260101-a")).toEqual({ ...review, review_id: "20260101-a" });
  for (const id of ["20260303-begun", ".hidden", "../reviews/20260101-a"])
    expect(findReview(home, id)).toBeUndefined();
});
