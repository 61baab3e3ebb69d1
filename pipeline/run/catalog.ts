import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Catalog, CatalogError } from "../../schemas/catalog.ts";
import { extendCatalog } from "../../schemas/compile.ts";
import { catalog, columnSets } from "../../schemas/generated/catalog.ts";
import { messageOf, UsageError } from "../errors.ts";
import type { Settings } from "../settings.ts";

/** The generated catalog with the user's own events; throws UsageError where their file is wrong. */
export function knownCatalog({ config, configFolder }: Settings): Catalog {
  if (config.catalog.extra === undefined) return catalog;
  const file = resolve(configFolder, config.catalog.extra);
  try {
    const content: unknown = JSON.parse(readFileSync(file, "utf8"));
    return extendCatalog(catalog, columnSets, [{ file, content }]);
  } catch (error) {
    if (error instanceof CatalogError) throw new UsageError(`catalog.extra: ${error.message}`);
    throw new UsageError(
      `catalog.extra: cannot read ${file}: ${messageOf(error)}; expected a JSON file of the form of schemas/catalog/*.json`,
    );
  }
}
