import { sentenceOf } from "../../base/notice/notice.ts";
import { commandText } from "../../base/command-line.ts";
import { existsSync } from "node:fs";
import { exitCode } from "../../base/errors.ts";
import { brokenExtra, knownCatalog, seedOf } from "../../core/writer/catalog.ts";
import { type Settings } from "../../base/home/settings.ts";
import { readLimits } from "../../core/store/limits.ts";
import { migrate } from "../../core/store/migrate.ts";
import { type Database, openInMemory, openPublished } from "../../core/store/open.ts";
import type { World } from "../../base/world.ts";
import { blocksFinding, publishingFinding } from "./reads.ts";
import { emptyFile, ledgerFindings, lockFinding, publishedFinding } from "./data.ts";
import { fail, failedWith, type Finding, ok, warn } from "./finding.ts";
import { landingFindings } from "./landing.ts";
import { diskFinding, homeFinding, memoryFinding, nodeFinding } from "./machine.ts";
import { reportFindings, targetFindings } from "./targets.ts";
import { sourceFindings, sourceNames } from "./service.ts";
import { foundReports, type QueriesFlag } from "../../base/report/find.ts";

/** What to examine, beside what is always looked at. */
export type Examined = QueriesFlag & { readonly deep?: true };

/**
 * Examines everything that the next run needs, a finding for each check, as soon as it is known. `read` reads the
 * settings, and throws if they cannot be read: then nothing else can be examined.
 */
export async function* examine(
  flags: Examined,
  read: () => Settings,
  world: World,
): AsyncGenerator<Finding> {
  yield nodeFinding();
  let settings: Settings;
  try {
    settings = read();
  } catch (error) {
    // Everything else depends on it.
    return yield failedWith("configuration", error);
  }
  const { configFile, home } = settings;
  yield ok("configuration", configFile ?? "no auditlake.json here; environment and defaults");
  const fault = brokenExtra(settings);
  if (fault !== undefined) yield fail("catalog", sentenceOf(fault), exitCode.usage);
  yield guarded("home", () => homeFinding(home));
  yield guarded("disk", () => diskFinding(home));
  yield guarded("memory", () => memoryFinding(settings.config));
  for (const name of sourceNames(settings, world)) yield* sourceFindings(name, settings, world);
  yield* targetFindings(settings, world);
  yield lockFinding(home);
  await using own = await openInMemory(readLimits(settings.config));
  await migrate(own.connection, async () => seedOf(await knownCatalog(settings)));
  yield* dataFindings(own, flags, settings, world);
}

async function* dataFindings(
  own: Database,
  flags: Examined,
  settings: Settings,
  world: World,
): AsyncGenerator<Finding> {
  const { home, config } = settings;
  const opened = await opening(settings);
  if ("level" in opened) yield opened;
  await using published = "level" in opened ? undefined : opened;
  if (published) {
    yield await publishedFinding(home, published, own);
    yield await awaited("publishing", () => publishingFinding(home));
    if (flags.deep === true) yield await awaited("blocks", () => blocksFinding(home, published));
  }
  yield* landingFindings(home, published, flags.deep === true);
  if (published) yield* ledgerFindings(published, settings.flags.source, config, world.now());
  try {
    const { reports, broken } = foundReports(settings, flags, world);
    for (const line of broken) yield fail("reports", line);
    const isOwn = reports.some(({ isBuiltIn }) => !isBuiltIn);
    using empty = published === undefined && isOwn ? await emptyFile(own.connection) : undefined;
    const on = published
      ? { database: published, file: home.published, name: "the published file" }
      : { database: own, file: empty?.path ?? "", name: "an empty database" };
    yield* reportFindings(reports, on, settings, world);
  } catch (error) {
    yield failedWith("reports", error);
  }
}

async function opening({ home, ...settings }: Settings): Promise<Database | Finding> {
  if (!existsSync(home.published))
    return warn("published", `nothing published yet; run ${commandText("ingest")} or import`);
  try {
    return await openPublished(home.published, readLimits(settings.config));
  } catch (error) {
    return failedWith(
      "published",
      error,
      `${home.published} does not open; run ${commandText("publish")}: `,
    );
  }
}

async function awaited(check: string, examined: () => Promise<Finding>): Promise<Finding> {
  try {
    return await examined();
  } catch (error) {
    return failedWith(check, error);
  }
}

function guarded(check: string, examined: () => Finding): Finding {
  try {
    return examined();
  } catch (error) {
    return failedWith(check, error);
  }
}
