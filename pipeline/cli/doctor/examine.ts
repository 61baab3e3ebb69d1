import { formatNotice } from "../../base/notice/notice.ts";
import { formatCommand } from "../../base/command-line.ts";
import { existsSync } from "node:fs";
import { exitCode } from "../../base/errors.ts";
import { describeBrokenExtra, findKnownCatalog, buildSeed } from "../../core/writer/catalog.ts";
import { type Settings } from "../../base/home/settings.ts";
import { readLimits } from "../../core/store/limits.ts";
import { listKnownMigrations, migrate } from "../../core/store/migrate.ts";
import { hashCatalog } from "../../core/store/catalog.ts";
import { type Database, openInMemory, openPublished } from "../../core/store/open.ts";
import type { World } from "../../base/world.ts";
import { checkBlocks, checkPublishing } from "./reads.ts";
import { newEmptyFile, checkLedger, lockFinding, checkPublished } from "./data.ts";
import { newFailed, newFailedWith, type Finding, newPassed, warn } from "./finding.ts";
import { checkEvidence } from "./evidence.ts";
import { checkLanding } from "./landing.ts";
import { checkDisk, checkHome, checkMemory, checkNode } from "./machine.ts";
import { reportFindings, checkTargets } from "./targets.ts";
import { checkSource, listSourceNames } from "./service.ts";
import { findAllReports, type QueriesFlag, type Report } from "../../base/report/find.ts";

/** What to examine, beside what is always looked at. */
export type ExamineFlags = QueriesFlag & {
  readonly deep?: true;
  /** Whether each report is compiled, which takes most of the time. */
  readonly reports?: boolean;
};

/**
 * Checks everything that the next run needs and yields a finding per check. `read` reads the settings; if it throws, no
 * other check is possible.
 */
export async function* examine(
  flags: ExamineFlags,
  read: () => Settings,
  world: World,
): AsyncGenerator<Finding> {
  yield checkNode();
  let settings: Settings;
  try {
    settings = read();
  } catch (error) {
    // Everything else depends on it.
    return yield newFailedWith("configuration", error);
  }
  const { configFile, home } = settings;
  yield newPassed(
    "configuration",
    configFile ?? "no auditlake.json here; using environment and defaults",
  );
  const fault = describeBrokenExtra(settings);
  if (fault !== undefined) yield newFailed("catalog", formatNotice(fault), exitCode.usage);
  yield guardFinding("home", () => checkHome(home));
  yield guardFinding("disk", () => checkDisk(home));
  yield guardFinding("memory", () => checkMemory(settings.config));
  for (const name of listSourceNames(settings, world)) yield* checkSource(name, settings, world);
  yield* checkTargets(settings, world);
  yield lockFinding(home);
  yield* checkData(flags, settings, world);
}

async function* checkData(
  flags: ExamineFlags,
  settings: Settings,
  world: World,
): AsyncGenerator<Finding> {
  const { home, config } = settings;
  const catalog = hashCatalog(buildSeed(await findKnownCatalog(settings)));
  const opened = await openDatabase(settings);
  if ("level" in opened) yield opened;
  await using published = "level" in opened ? undefined : opened;
  if (published) {
    yield await checkPublished(home, published, { migrations: listKnownMigrations(), catalog });
    yield await awaitFinding("publishing", () => checkPublishing(home));
    if (flags.deep === true) yield await awaitFinding("blocks", () => checkBlocks(home, published));
  }
  yield* checkLanding(home, published, flags.deep === true);
  yield* checkEvidence(settings, flags.deep === true);
  if (published) yield* checkLedger(published, settings.flags.source, config, world.now());
  if (flags.reports !== false) yield* checkReports(published, flags, settings, world);
}

async function* checkReports(
  published: Database | undefined,
  flags: ExamineFlags,
  settings: Settings,
  world: World,
): AsyncGenerator<Finding> {
  try {
    const { reports, broken } = findAllReports(settings, flags, world);
    for (const line of broken) yield newFailed("reports", line);
    if (published === undefined) return yield* compileOnEmpty(reports, settings, world);
    const on = { database: published, file: settings.home.published, name: "the published file" };
    yield* reportFindings(reports, on, settings, world);
  } catch (error) {
    yield newFailedWith("reports", error);
  }
}

async function* compileOnEmpty(
  reports: readonly Report[],
  settings: Settings,
  world: World,
): AsyncGenerator<Finding> {
  await using own = await openInMemory(readLimits(settings.config));
  await migrate(own.connection, async () => buildSeed(await findKnownCatalog(settings)));
  const isOwn = reports.some(({ isBuiltIn }) => !isBuiltIn);
  using empty = isOwn ? await newEmptyFile(own.connection) : undefined;
  const on = { database: own, file: empty?.path ?? "", name: "an empty database" };
  yield* reportFindings(reports, on, settings, world);
}

async function openDatabase({ home, ...settings }: Settings): Promise<Database | Finding> {
  if (!existsSync(home.published))
    return warn("published", `nothing published yet; run ${formatCommand("ingest")} or import`);
  try {
    return await openPublished(home.published, readLimits(settings.config));
  } catch (error) {
    return newFailedWith(
      "published",
      error,
      `${home.published} cannot be opened; run ${formatCommand("publish")}: `,
    );
  }
}

async function awaitFinding(check: string, examined: () => Promise<Finding>): Promise<Finding> {
  try {
    return await examined();
  } catch (error) {
    return newFailedWith(check, error);
  }
}

function guardFinding(check: string, examined: () => Finding): Finding {
  try {
    return examined();
  } catch (error) {
    return newFailedWith(check, error);
  }
}
