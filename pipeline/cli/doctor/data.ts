import { formatCommand } from "../../base/command-line.ts";
import type { Home } from "../../base/home/layout.ts";
import { lockState } from "../../base/home/lock.ts";
import { readVersion } from "../../core/store/catalog.ts";
import { listMigrations } from "../../core/store/migrate.ts";
import type { Database } from "../../core/store/open.ts";
import { countText, formatDuration } from "../../base/terminal/amounts.ts";
import { newFailed, type Finding, newPassed, warn } from "./finding.ts";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { makeTemporary } from "../../base/home/drafts.ts";
import { quoteText } from "../../../schemas/quote.ts";
import type { ConfigFile } from "../../../schemas/config.ts";
import { getSourceSettings } from "../../base/home/settings.ts";
import { readLedger } from "../../core/completeness/ledger-facts.ts";
import { judgeSources } from "../../answers/status/with-status.ts";
import type { SourceStatus } from "../../answers/status/print.ts";
import { warnOfRetention } from "../../core/completeness/warnings.ts";
import { formatNotice } from "../../base/notice/notice.ts";

/** The schema changes and the version of the catalog that this auditlake fills a database with. */
type Known = { readonly migrations: readonly string[]; readonly catalog: string };

/** Compares the schema and the catalog of the published file with those of this auditlake. */
export async function checkPublished(
  { published }: Home,
  { connection: found }: Database,
  { migrations: known, catalog: wanted }: Known,
): Promise<Finding> {
  const migrations = await listMigrations(found);
  const newer = migrations.find((migration) => !known.includes(migration));
  if (newer !== undefined)
    return newFailed("published", `${published} has schema ${newer}; install the newer auditlake`);
  const missing = known.find((migration) => !migrations.includes(migration));
  if (missing !== undefined)
    return warn(
      "published",
      `${published} does not have schema ${missing}; run ${formatCommand("publish")}`,
    );
  const catalog = await readVersion(found);
  if (catalog !== wanted)
    return warn(
      "published",
      `${published} has catalog ${catalog ?? "none"}, this auditlake ${wanted}; run ${formatCommand("publish")}, or rebuild to reclassify old events`,
    );
  const events = await found.runAndReadAll("select count(*) from event_rows");
  const count = countText(Number(events.getRows()[0]![0]));
  return newPassed("published", `${count} events, schema ${migrations.at(-1)}, catalog ${catalog}`);
}

export function lockFinding({ lock }: Home): Finding {
  const found = lockState(lock);
  if (found.state === "free") return newPassed("lock", "no active run");
  if (found.state === "held") {
    const { by } = found;
    if (by === undefined) return newPassed("lock", "a run is starting");
    return newPassed("lock", `auditlake ${by.command} has been running since ${by.since}`);
  }
  return warn("lock", "a killed run left a stale lock; the next run takes it over");
}

/** Copies a database in memory into a file, for a process that is confined to one; `using` removes it. */
export async function newEmptyFile(
  connection: DuckDBConnection,
): Promise<Disposable & { readonly path: string }> {
  const folder = makeTemporary("doctor");
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const path = join(folder, "empty.duckdb");
    await connection.run(`attach ${quoteText(path)} as empty (storage_version 'v1.5.0')`);
    await connection.run("copy from database memory to empty");
    await connection.run("detach empty");
    return { path, [Symbol.dispose]: removeFolder };
  } catch (error) {
    removeFolder();
    throw error;
  }
}

/** What the ledger of the published file says: events that may be lost fail, other warnings of `status` warn. */
export async function* checkLedger(
  published: Database,
  source: string | undefined,
  config: ConfigFile,
  nowMs: number,
): AsyncGenerator<Finding> {
  const { connection } = published;
  const { sources } = await readLedger(connection, source, config, nowMs);
  for (const facts of await judgeSources(connection, sources, config, nowMs)) {
    const settings = getSourceSettings(facts.source, config);
    const lost = warnOfRetention(facts, settings, nowMs);
    for (const notice of lost)
      yield newFailed("retention", `${facts.source}: ${formatNotice(notice)}`);
    if (lost.length === 0) yield checkRetention(facts, settings.retention);
    // The warnings of a source begin with what it has lost.
    for (const text of facts.warnings.slice(lost.length))
      yield warn("ledger", `${facts.source}: ${text}`);
  }
}

function checkRetention(status: SourceStatus, retention: number | undefined): Finding {
  const { source, totals, is_configured: isConfigured } = status;
  const last = totals["last_success"];
  const when =
    typeof last === "string"
      ? `the last complete scheduled run ended at ${last}`
      : "no scheduled run has completed yet";
  if (!isConfigured)
    return newPassed(
      "retention",
      `${source}: ${when}; no run reads it because sources.${source} is not configured`,
    );
  if (retention === undefined)
    return newPassed(
      "retention",
      `${source}: ${when}; set sources.${source}.retention to be warned before events expire unread`,
    );
  return newPassed(
    "retention",
    `${source}: ${when}, the service retains ${formatDuration(retention / 1000)}`,
  );
}
