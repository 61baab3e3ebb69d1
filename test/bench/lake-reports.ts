import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { configSchema } from "../../schemas/config.ts";
import { resolveHome } from "../../pipeline/base/home/layout.ts";
import type { Settings } from "../../pipeline/base/home/settings.ts";
import { writeDdl } from "../../pipeline/adapters/lake/trino/pin-sql.ts";
import { openTrinoEngine } from "../../pipeline/adapters/lake/trino/engine.ts";
import type { Report } from "../../pipeline/base/report/find.ts";
import { openDirect } from "../../pipeline/answers/ask/direct-engine.ts";
import { type GivenValues, buildQuestion } from "../../pipeline/base/report/params.ts";
import { openPublished } from "../../pipeline/core/store/open.ts";
import { newRealWorld, type World } from "../../pipeline/base/world.ts";
import { projectPath } from "../docs/pages.ts";
import { runAt, startTrino } from "../engine/trino.ts";
import type { ObjectStore } from "../lake/tools.ts";
import { reports } from "../queries/run.ts";
import { readResult } from "./engine-result.ts";
import type { Figures } from "./figures.ts";
import { reportTimes } from "./report-times.ts";
import { busiestSubjects, lastMonth } from "./subjects.ts";

type Published = {
  readonly folder: string;
  readonly home: string;
  readonly lake: { readonly location: string; readonly endpoint: string };
  readonly store: ObjectStore;
  readonly untilMs: number;
  readonly figures: Figures;
  /** Resources that have to be stopped also on an interrupt. */
  readonly stack: AsyncDisposableStack;
};

// A few of each kind: counts over the days of a range, lists, and folds over time. A timeline takes over a minute each.
const few = [
  "denials_by_day",
  "events_by_day",
  "activity_by_day",
  "downloads_by_day",
  "active_users",
  "permission_changes_list",
  "unused_rights",
];
const clusters = [1, 2, 3];

/**
 * Every report over 30 days on the published file and, where it is there, on one Trino; a few on several workers. Exits
 * 1 where a report gives other rows there.
 */
export async function lakeReports(published: Published): Promise<void> {
  const subjects = await onDatabase(published);
  if (!existsSync(projectPath(".trino/ready"))) {
    process.stdout.write("Trino is not there (make test-engine puts it there)\n");
    return;
  }
  await onTrino(published, "one Trino", 0, reports, subjects);
  const chosen = reports.filter(({ name }) => few.includes(name));
  for (const workers of clusters)
    await onTrino(published, `Trino with ${workers} workers`, workers, chosen, subjects);
}

async function onDatabase({ home, untilMs, figures }: Published): Promise<GivenValues> {
  await using database = await openPublished(resolveHome(home).published, { memoryLimit: "1GB" });
  const times = await reportTimes(database.connection, untilMs);
  for (const { name, seconds } of times)
    figures.add({ what: `\`${name}\`, database`, value: seconds, unit: "s" });
  sum(figures, "database", times);
  return await busiestSubjects(database.connection, untilMs);
}

function sum(figures: Figures, what: string, times: readonly { readonly seconds: number }[]): void {
  const value = times.reduce((all, { seconds }) => all + seconds, 0);
  figures.add({ what: `${times.length} reports together, ${what}`, value, unit: "s" });
}

async function onTrino(
  published: Published,
  where: string,
  workers: number,
  chosen: readonly Report[],
  subjects: GivenValues,
): Promise<void> {
  const { figures, store, untilMs } = published;
  const folder = join(published.folder, `trino-${workers}`);
  mkdirSync(folder);
  await using trino = await startTrino(folder, { workers, store, heap: "2g" });
  published.stack.defer(() => trino[Symbol.asyncDispose]());
  const { settings, world } = await register(published, trino.url, workers === 0);
  let spent: { processedRows?: number | undefined; processedBytes?: number | undefined } = {};
  const hear = (stats: typeof spent): void => void (spent = stats);
  await using engine = await openTrinoEngine(settings, world, () => undefined, hear);
  await using here = await openDirect(settings);
  const times: { readonly seconds: number }[] = [];
  const differing: string[] = [];
  for (const report of chosen) {
    const question = buildQuestion(report, lastMonth(report, untilMs, subjects), untilMs);
    const expected = await readResult(here, report, question, world.signal);
    let seconds = 0;
    // The second of two runs, as on the database.
    for (let round = 0; round < 2; round++) {
      const start = performance.now();
      const found = await readResult(engine, report, question, world.signal);
      seconds = (performance.now() - start) / 1000;
      if (found.sha256 !== expected.sha256)
        differing.push(`${report.name}: ${expected.rows} rows here, ${found.rows} there`);
    }
    times.push({ seconds });
    const { processedRows = 0, processedBytes = 0 } = spent;
    const scanned = `${expected.rows} rows of ${processedRows}, ${(processedBytes / 1e6).toFixed(1)} MB read`;
    figures.add({ what: `\`${report.name}\`, ${where}: ${scanned}`, value: seconds, unit: "s" });
  }
  sum(figures, where, times);
  figures.add({
    what: `results that differ, ${where}`,
    value: differing.length,
    unit: "",
    aim: "0",
  });
  for (const line of differing) process.stdout.write(`${line}\n`);
  if (differing.length > 0) process.exitCode = 1;
}

async function register(
  { folder, home, lake, store }: Published,
  url: string,
  isFirst: boolean,
): Promise<{ readonly settings: Settings; readonly world: World }> {
  const config = { lake, engines: { trino: { url } } };
  const settings: Settings = {
    home: resolveHome(home),
    config: configSchema.parse(config),
    configFile: undefined,
    configFolder: folder,
    flags: { logLevel: "silent", progress: "none", quiet: true },
  };
  const world = newRealWorld(new AbortController().signal);
  // The engine's own catalog is in the store, too, and stays there.
  for (const sql of isFirst ? writeDdl({ catalog: "lake", schema: "audit" }, lake.location) : [])
    await runAt(url, sql);
  return { settings, world: { ...world, env: { ...world.env, ...store.env } } };
}
