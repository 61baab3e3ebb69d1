import { expect, it } from "vitest";
import { configSchema } from "../../../../schemas/config.ts";
import { catalog } from "../../../../schemas/generated/catalog.ts";
import { readCatalogWith, buildSeed } from "../../../../pipeline/core/writer/catalog.ts";
import { readAsset } from "../../../../pipeline/base/home/assets.ts";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";

const settings = {
  home: resolveHome("none"),
  config: configSchema.parse({ catalog: { extra: "gone.json" } }),
  configFile: undefined,
  configFolder: "/nowhere",
  flags: { logLevel: "warn", progress: "none" },
} as const;

it("a template that no longer fits the catalog is skipped, and not lost", async () => {
  const known = await readCatalogWith(settings, () => Promise.resolve("{"));
  expect(known).toEqual({ catalog, extra: "{" });
  const sql = readAsset("schemas/generated/catalog.sql");
  expect(buildSeed(known)).toEqual({ sql, extra: "{" });
});
