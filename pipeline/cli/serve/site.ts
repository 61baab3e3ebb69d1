import type { DuckDBConnection } from "@duckdb/node-api";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { assetPath, readAsset } from "../../base/home/assets.ts";
import { messageOf, UsageError } from "../../base/errors.ts";
import {
  findReports,
  type Found,
  foundReports,
  type QueriesFlag,
  queriesFolder,
} from "../../answers/report/find.ts";
import { knownCatalog } from "../../core/writer/catalog.ts";
import { newAskedLog, type Site } from "../../adapters/serve/site.ts";
import {
  keptWhilePublished,
  newStatements,
  type Pool,
  shareMemory,
} from "../../adapters/serve/pool.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import { readHealth } from "../../adapters/page/health.ts";

/** The flags of `serve` that its pages go by. */
export type SiteFlags = QueriesFlag & { readonly timeout: number };

// It changes with a publication, and a little with the time of day.
const healthAgeMs = 300_000;

// Made by `make`, from editor.js and its library.
const editor = "pipeline/adapters/serve/editor.bundle.js";

/** What the pages are made from, over one home. */
export function siteOf(settings: Settings, flags: SiteFlags, pool: Pool, world: World): Site {
  return {
    settings,
    world,
    pool,
    statements: newStatements(shareMemory(settings.config)),
    found: () => reportsNow(settings, flags, world),
    queriesFolder: queriesFolder(settings, flags, world),
    catalog: async () => (await knownCatalog(settings)).catalog,
    asked: newAskedLog(join(settings.home.root, "serve", "asked.ndjson"), world.now),
    editorScript: existsSync(assetPath(editor)) ? readAsset(editor) : undefined,
    timeoutMs: flags.timeout,
    health: keptWhilePublished(
      settings.home.published,
      world.now,
      healthAgeMs,
      async (connection: DuckDBConnection) =>
        (await readHealth(connection, settings.config, world.now())).markup,
    ),
  };
}

// A folder that goes away while somebody looks leaves the reports that come with the package.
function reportsNow(settings: Settings, flags: SiteFlags, world: World): Found {
  try {
    return foundReports(settings, flags, world);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { ...findReports(), broken: [messageOf(error)] };
  }
}
