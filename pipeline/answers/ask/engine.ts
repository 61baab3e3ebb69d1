import { type Print } from "../../base/notice/printer.ts";
import type { Settings } from "../../base/home/settings.ts";
import { requirePublished } from "../../base/home/published.ts";
import type { World } from "../../base/world.ts";
import type { Engine, ReportEngine } from "../report/engine.ts";
import type { Report } from "../../base/report/find.ts";
import { newConfined } from "./confined-engine.ts";

/**
 * Opens the engine of reports: built-in ones run in this process, user reports each in a confined one. `print` receives
 * notes about names in queries. Throws AuditlakeError if nothing is published, or the published file does not open.
 */
export async function openEngine(
  reports: readonly Report[],
  settings: Settings,
  world: World,
  print?: Print,
): Promise<ReportEngine> {
  requirePublished(settings.home.published);
  const confined = newConfined(settings, world);
  if (!reports.some(({ isBuiltIn }) => isBuiltIn)) return confined;
  // Only where it is needed: to load the database takes as long as to start a confined process.
  const { openDirect } = await import("./direct-engine.ts");
  const direct = await openDirect(settings, print);
  const chooseEngine = ({ isBuiltIn }: Report): Engine => (isBuiltIn ? direct : confined);
  return {
    rows: (report, ...rest) => chooseEngine(report).rows(report, ...rest),
    parquet: (report, ...rest) => chooseEngine(report).parquet(report, ...rest),
    reach: direct.reach,
    [Symbol.asyncDispose]: async () => {
      await confined[Symbol.asyncDispose]();
      await direct[Symbol.asyncDispose]();
    },
  };
}
