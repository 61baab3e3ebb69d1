import { expect, test } from "vitest";
import { readAsset } from "../../pipeline/home/assets.ts";
import { generate } from "../../schemas/generate.ts";

test.each(Object.entries(generate()))("%s is what the source generates", (file, text) => {
  expect(readAsset(file) === text).toBe(true);
});

test("generating twice gives the same bytes", () => {
  expect(generate()).toEqual(generate());
});
