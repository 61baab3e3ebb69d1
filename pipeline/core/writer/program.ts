import { computeSha256 } from "../../base/home/durable.ts";
import type { Settings } from "../../base/home/settings.ts";
import { readBundleHash, readToolVersion } from "../../base/home/version.ts";
import type { Program } from "../evidence/log.ts";
import { buildSeed, findKnownCatalog } from "./catalog.ts";

/** This program with a catalog, as its leaf in the log has it. */
export function describeProgram(catalogSql: string): Program {
  return {
    version: readToolVersion(),
    catalog_sha256: computeSha256(catalogSql),
    bundle_sha256: readBundleHash(),
  };
}

/** This program with the catalog of a home. */
export async function readProgram(settings: Settings): Promise<Program> {
  return describeProgram(buildSeed(await findKnownCatalog(settings)).sql);
}
