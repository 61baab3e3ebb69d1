import pLimit from "p-limit";
import { newLeads } from "../serve/leads.ts";
import { newConfined } from "../../answers/ask/confined-engine.ts";
import { newDirectEngine } from "../../answers/ask/direct-engine.ts";
import { type PageContext, readUsualDomain } from "../../answers/page-file/context.ts";
import { judgeDays } from "../../answers/page-file/days.ts";
import { readReach } from "../../answers/report/reach.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { Report } from "../../base/report/find.ts";
import type { World } from "../../base/world.ts";
import { readLimits } from "../../core/store/limits.ts";
import { openPublished } from "../../core/store/open.ts";

/** The context of a page that is written once; closing it closes the published file. */
export type OpenedContext = PageContext & AsyncDisposable;

/** Opens the published file for one page. Throws AuditlakeError if nothing is published. */
export async function openContext(
  settings: Settings,
  world: World,
  reports: readonly Report[],
  since: string,
): Promise<OpenedContext> {
  const { home, config, flags } = settings;
  const { source } = flags;
  const nowMs = world.now();
  const database = await openPublished(home.published, readLimits(config), source);
  const { connection } = database;
  const zone = config.timezone;
  const reach = await readReach(connection, source);
  const domain = await readUsualDomain(connection);
  const direct = await newDirectEngine(connection, source, () => undefined);
  const confined = newConfined(settings, world);
  // A connection runs one statement at a time.
  const limit = pLimit(1);
  return {
    query: (work) => limit(() => work(connection, world.signal)),
    answer: (report, question, work) =>
      limit(async () => {
        const engine = report.isBuiltIn ? direct : confined;
        return work(await engine.rows(report, question, world.signal));
      }),
    config,
    source,
    nowMs,
    since,
    display: { zone, nowMs, domain },
    reach,
    days: judgeDays(reach, nowMs, zone),
    isLinked: config.serve.base_url !== undefined,
    leads: newLeads({ since }),
    reports: new Map(reports.map((report) => [report.name, report])),
    [Symbol.asyncDispose]: async () => {
      await confined[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}
