import { commandText } from "../../base/command-line.ts";
import type { Home } from "../../base/home/layout.ts";
import { lockState } from "../../base/home/lock.ts";
import { versionOf } from "../../core/store/catalog.ts";
import { migrationsOf } from "../../core/store/migrate.ts";
import type { Database } from "../../core/store/open.ts";
import { countText } from "../../base/terminal/amounts.ts";
import { fail, type Finding, ok, warn } from "./finding.ts";

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
    return warn("published", `${published} lacks schema ${missing}; run ${commandText("publish")}`);
  const [catalog, wanted] = [await versionOf(found), await versionOf(expected)];
  if (catalog !== wanted)
    return warn(
      "published",
      `${published} has catalog ${catalog ?? "none"}, this auditlake ${wanted}; run ${commandText("publish")}, or rebuild to classify old events anew`,
    );
  const events = await found.runAndReadAll("select count(*) from event_rows");
  const count = countText(Number(events.getRows()[0]![0]));
  return ok("published", `${count} events, schema ${migrations.at(-1)}, catalog ${catalog}`);
}

/** Whether a run is at work. */
export function lockFinding({ lock }: Home): Finding {
  const found = lockState(lock);
  if (found.state === "free") return ok("lock", "no run is at work");
  if (found.state === "held") {
    const { by } = found;
    if (by === undefined) return ok("lock", "a run is just beginning");
    return ok("lock", `auditlake ${by.command} is at work since ${by.since}`);
  }
  return warn("lock", "a killed run left its lock behind; the next run takes it over");
}
