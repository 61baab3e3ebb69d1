import { type Notice, warning } from "../../base/notice/notice.ts";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Catalog } from "../../../schemas/catalog.ts";
import { extendCatalog } from "../../../schemas/compile.ts";
import { catalog as builtIn, columnSets } from "../../../schemas/generated/catalog.ts";
import { toSeedSql } from "../../../schemas/generators/sql.ts";
import { readAsset } from "../../base/home/assets.ts";
import { getMessage } from "../../base/errors.ts";
import { findRepeatedKey } from "../../base/home/json-files.ts";
import type { Settings } from "../../base/home/settings.ts";
import { readLimits } from "../store/limits.ts";
import { readStoredExtra, type Seed } from "../store/catalog.ts";
import { openPublished } from "../store/open.ts";

export type KnownCatalog = {
  readonly catalog: Catalog;
  /** The text of the user's own events; null if none are configured. */
  readonly extra: string | null;
};

const alone: KnownCatalog = { catalog: builtIn, extra: null };

type ReadStored = () => Promise<string | null>;

/**
 * Returns the generated catalog with the events of `catalog.extra`. If that file is broken, its stored last valid copy
 * replaces it; without a copy, the catalog has no extra events.
 */
export async function readCatalogWith(settings: Settings, kept: ReadStored): Promise<KnownCatalog> {
  const file = findExtraFile(settings);
  if (file === undefined) return alone;
  const read = readExtra(file);
  return "fault" in read ? withKept(file, await kept()) : read;
}

/** Describes the fault of the file of `catalog.extra`, with advice; undefined if valid. */
export function describeBrokenExtra(settings: Settings): Notice | undefined {
  const file = findExtraFile(settings);
  const read = file === undefined ? alone : readExtra(file);
  if (!("fault" in read)) return undefined;
  return warning("catalog_extra_broken", { why: read.fault });
}

/** The same with the copy that the published file keeps. */
export function findKnownCatalog(settings: Settings): Promise<KnownCatalog> {
  return readCatalogWith(settings, () => readPublishedExtra(settings));
}

/**
 * Reads the text of the user's own events from the published file; null if there is none, or the file is unreadable.
 */
export async function readPublishedExtra({ home, config }: Settings): Promise<string | null> {
  if (!existsSync(home.published)) return null;
  try {
    await using database = await openPublished(home.published, readLimits(config));
    return await readStoredExtra(database.connection);
  } catch {
    return null;
  }
}

/** What the catalog tables are filled with. */
export function buildSeed({ catalog, extra }: KnownCatalog): Seed {
  const sql = extra === null ? readAsset("schemas/generated/catalog.sql") : toSeedSql(catalog);
  return { sql, extra };
}

function findExtraFile({ config, configFolder }: Settings): string | undefined {
  const { extra } = config.catalog;
  return extra === undefined ? undefined : resolve(configFolder, extra);
}

function readExtra(file: string): KnownCatalog | { readonly fault: string } {
  try {
    const extra = readText(file);
    const catalog = applyExtension(file, extra);
    // What cannot be put into tables is found here, and not when a run opens its database.
    toSeedSql(catalog);
    return { catalog, extra };
  } catch (error) {
    return { fault: getMessage(error) };
  }
}

// A copy for another version of the generated catalog is retained: it may be the only one left.
function withKept(file: string, extra: string | null): KnownCatalog {
  if (extra === null) return alone;
  try {
    return { catalog: applyExtension(file, extra), extra };
  } catch {
    return { ...alone, extra };
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new Error(`cannot read ${file}: ${getMessage(error)}`);
  }
}

function applyExtension(file: string, text: string): Catalog {
  return extendCatalog(builtIn, columnSets, [{ file, content: parseExtra(file, text) }]);
}

// The parser's own message would quote the text.
function parseExtra(file: string, text: string): unknown {
  try {
    const content: unknown = JSON.parse(text);
    if (findRepeatedKey(text) === undefined) return content;
  } catch (error) {
    const [where] = /line \d+ column \d+/.exec(getMessage(error)) ?? [];
    const place = where === undefined ? "" : ` (${where})`;
    throw new Error(`${file}: not valid JSON${place}; expected the form of schemas/catalog/*.json`);
  }
  throw new Error(`${file}: a key occurs twice in one object; remove one of them`);
}
