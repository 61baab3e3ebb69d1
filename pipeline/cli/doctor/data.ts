import { commandText } from "../../base/command-line.ts";
import type { Home } from "../../base/home/layout.ts";
import { lockState } from "../../base/home/lock.ts";
import { versionOf } from "../../core/store/catalog.ts";
import { migrationsOf } from "../../core/store/migrate.ts";
import type { Database } from "../../core/store/open.ts";
import { countText, durationText } from "../../base/terminal/amounts.ts";
import { fail, type Finding, ok, warn } from "./finding.ts";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { makeTemporary } from "../../base/home/drafts.ts";
import { quotedText } from "../../../schemas/quoted.ts";
import type { ConfigFile } from "../../../schemas/config.ts";
import { settingsOf } from "../../base/home/settings.ts";
import { readLedger } from "../../core/completeness/ledger-facts.ts";
import { judged } from "../../answers/status/with-status.ts";
import type { SourceStatus } from "../../answers/status/print.ts";
import { missedRetention } from "../../core/completeness/warnings.ts";
import { sentenceOf } from "../../base/notice/notice.ts";

/** Whether the published file has the schema and the catalog of this auditlake; `own` is a database that has. */
export async function publishedFinding(
  { published }: Home,
  database: Database,
  own: Database,
): Promise<Finding> {
  const [found, expected] = [database.connection, own.connection];
  const [migrations, known] = [await migrationsOf(found), await migrationsOf(expected)];
  const newer = migrations.find((migration) => !known.includes(migration));
  if (newer !== undefined)
    return fail("published", `${published} has schema ${newer}; install the newer auditlake`);
  const missing = known.find((migration) => !migrations.includes(migration));
  if (missing !== undefined)
    return warn(
      "published",
      `${published} does not have schema ${missing}; run ${commandText("publish")}`,
    );
  const [catalog, wanted] = [await versionOf(found), await versionOf(expected)];
  if (catalog !== wanted)
    return warn(
      "published",
      `${published} has catalog ${catalog ?? "none"}, this auditlake ${wanted}; run ${commandText("publish")}, or rebuild to reclassify old events`,
    );
  const events = await found.runAndReadAll("select count(*) from event_rows");
  const count = countText(Number(events.getRows()[0]![0]));
  return ok("published", `${count} events, schema ${migrations.at(-1)}, catalog ${catalog}`);
}

/** Whether a run is at work. */
export function lockFinding({ lock }: Home): Finding {
  const found = lockState(lock);
  if (found.state === "free") return ok("lock", "no active run");
  if (found.state === "held") {
    const { by } = found;
    if (by === undefined) return ok("lock", "a run is just beginning");
    return ok("lock", `auditlake ${by.command} is at work since ${by.since}`);
  }
  return warn("lock", "a killed run left its lock behind; the next run takes it over");
}

/** Copies a database in memory into a file, for a process that is confined to one; `using` removes it. */
export async function emptyFile(
  connection: DuckDBConnection,
): Promise<Disposable & { readonly path: string }> {
  const folder = makeTemporary("doctor");
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const path = join(folder, "empty.duckdb");
    await connection.run(`attach ${quotedText(path)} as empty (storage_version 'v1.5.0')`);
    await connection.run("copy from database memory to empty");
    await connection.run("detach empty");
    return { path, [Symbol.dispose]: remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** What the ledger of the published file says: events that may be lost fail, other warnings of `status` warn. */
export async function* ledgerFindings(
  published: Database,
  source: string | undefined,
  config: ConfigFile,
  nowMs: number,
): AsyncGenerator<Finding> {
  const { connection } = published;
  const { sources } = await readLedger(connection, source, config, nowMs);
  for (const facts of await judged(connection, sources, config, nowMs)) {
    const settings = settingsOf(facts.source, config);
    const lost = missedRetention(facts, settings, nowMs);
    for (const notice of lost) yield fail("retention", `${facts.source}: ${sentenceOf(notice)}`);
    if (lost.length === 0) yield retentionFinding(facts, settings.retention);
    // The warnings of a source begin with what it has lost.
    for (const text of facts.warnings.slice(lost.length))
      yield warn("ledger", `${facts.source}: ${text}`);
  }
}

function retentionFinding(status: SourceStatus, retention: number | undefined): Finding {
  const { source, totals, is_configured: isConfigured } = status;
  const last = totals["last_success"];
  const when =
    typeof last === "string"
      ? `the last whole scheduled run ended at ${last}`
      : "no scheduled run was whole so far";
  if (!isConfigured)
    return ok(
      "retention",
      `${source}: ${when}; no run reads it, sources.${source} is not configured`,
    );
  if (retention === undefined)
    return ok(
      "retention",
      `${source}: ${when}; set sources.${source}.retention to be warned before events expire unread`,
    );
  return ok("retention", `${source}: ${when}, the service keeps ${durationText(retention / 1000)}`);
}
