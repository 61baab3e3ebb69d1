import { globSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readAsset } from "../../pipeline/base/home/assets.ts";
import { contract } from "../../schemas/generated/contract.ts";
import { generate } from "../../schemas/generate.ts";
import { denialKind } from "../../schemas/source.ts";
import { projectPath } from "../docs/pages.ts";

test.each(Object.entries(generate()))("%s is what the source generates", (file, text) => {
  expect(readAsset(file) === text).toBe(true);
});

test("generating twice gives the same bytes", () => {
  expect(generate()).toEqual(generate());
});

describe("the kinds of denial", () => {
  const pages = globSync("{docs,schemas}/**/*.md", { cwd: projectPath(".") });

  test("are in the text of each column of that name, as the enum has them", () => {
    const listed = contract
      .flatMap(({ columns }) => columns)
      .filter(({ name }) => name === "denial_kind")
      .map(({ meaning }) => [...meaning.matchAll(/'(\w+)'/g)].map(([, kind]) => kind));
    expect(listed.length).toBeGreaterThan(3);
    for (const kinds of listed) expect(kinds).toEqual(denialKind.options);
  });

  test("are listed by hand in no other source, and counted on no page", () => {
    const sources = globSync("schemas/{*.ts,*.json,contract/*.json}", { cwd: projectPath(".") });
    const listing = sources.filter((file) => {
      const text = readAsset(file);
      return denialKind.options.filter((kind) => text.includes(kind)).length > 1;
    });
    expect(listing).toEqual(["schemas/source.ts"]);
    const counting = pages.filter((page) =>
      /\b(?:five|six|seven|eight|\d+) kinds\b/.test(readAsset(page)),
    );
    expect(counting).toEqual([]);
  });
});
