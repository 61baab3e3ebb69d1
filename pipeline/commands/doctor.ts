import type { Command } from "commander";
import { existsSync } from "node:fs";
import { exitCode } from "../errors.ts";
import { jsonDocument } from "../terminal/json.ts";
import { streamSink } from "../report/sink.ts";
import { brokenExtra, knownCatalog, seedOf } from "../writer/catalog.ts";
import { readSettings, type Settings } from "../home/settings.ts";
import { readLimits } from "../store/limits.ts";
import { migrate } from "../store/migrate.ts";
import { type Database, openInMemory, openPublished } from "../store/open.ts";
import type { World } from "../world.ts";
import { blocksFinding, publishingFinding } from "../doctor/blocks.ts";
import { lockFinding, publishedFinding } from "../doctor/data.ts";
import { exitCodeOf, fail, failedWith, type Finding, lineOf, ok, warn } from "../doctor/finding.ts";
import { landingFindings } from "../doctor/landing.ts";
import { ledgerFindings } from "../doctor/ledger.ts";
import { diskFinding, homeFinding, nodeFinding } from "../doctor/machine.ts";
import { memoryFinding } from "../doctor/memory.ts";
import { reportFindings } from "../doctor/reports.ts";
import { sourceFindings, sourceNames } from "../doctor/service.ts";
import { targetFindings } from "../doctor/targets.ts";
import { emptyFile } from "../doctor/empty.ts";
import { type QueriesFlag, foundReports, withQueries } from "../report/queries-folder.ts";

type Flags = QueriesFlag & { readonly json?: true; readonly deep?: true };

const notes = `
One line for each check: ok, warn (works, but act on it) or fail, with what to do. Exit code ${exitCode.done} when
nothing fails, ${exitCode.usage} for the configuration, ${exitCode.refused} for a refused key, else ${exitCode.failed}. Nothing is changed.

Examples:
  auditlake doctor
  auditlake doctor --source prod --json`;

/** Registers `doctor`: is everything in place for the next run? */
export function doctor(program: Command, world: World): void {
  withQueries(
    program
      .command("doctor")
      .description("check machine, configuration, service, data and reports, and say what to do"),
  )
    .option(
      "--deep",
      "read every landed page and every block of the database, and check each manifest against the ledger",
    )
    .option("--json", "as one JSON object")
    .addHelpText("after", notes)
    .action(async (flags: Flags, command: Command) => {
      const sink = streamSink(world.stdout, world.signal);
      const findings: Finding[] = [];
      for await (const finding of examine(flags, command, world)) {
        world.signal.throwIfAborted();
        findings.push(finding);
        if (!flags.json) await sink(lineOf(finding));
      }
      const code = exitCodeOf(findings);
      if (flags.json) await sink(jsonOf(findings, code === exitCode.done));
      if (code !== exitCode.done) process.exitCode = code;
    });
}

function jsonOf(findings: readonly Finding[], healthy: boolean): string {
  const checks = findings.map(({ level, check, text }) => ({ level, check, text }));
  return jsonDocument({ healthy, checks });
}

async function* examine(flags: Flags, command: Command, world: World): AsyncGenerator<Finding> {
  yield nodeFinding();
  let settings: Settings;
  try {
    settings = readSettings(command, world);
  } catch (error) {
    // Everything else depends on it.
    return yield failedWith("configuration", error);
  }
  const { configFile, home } = settings;
  yield ok("configuration", configFile ?? "no auditlake.json here; environment and defaults");
  const fault = brokenExtra(settings);
  if (fault !== undefined) yield fail("catalog", fault, exitCode.usage);
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
  flags: Flags,
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
    return warn("published", "nothing published yet; run auditlake ingest or import");
  try {
    return await openPublished(home.published, readLimits(settings.config));
  } catch (error) {
    return failedWith(
      "published",
      error,
      `${home.published} does not open; run auditlake publish: `,
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
