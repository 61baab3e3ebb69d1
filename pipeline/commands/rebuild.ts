import type { Command } from "commander";
import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { userList } from "../../schemas/api.ts";
import { AuditlakeError } from "../errors.ts";
import { listUsers } from "../landing/directory.ts";
import { listManifests } from "../landing/store.ts";
import { loadManifests } from "../run/nightly.ts";
import { newProgress } from "../run/progress.ts";
import { newRun, toTimestamp } from "../run/totals.ts";
import { openWriter, publishWarehouse, withLock, type Writer } from "../run/writer.ts";
import { settle, type Settings } from "../settings.ts";
import { toolVersion } from "../version.ts";
import { queryFile } from "../warehouse/statements.ts";
import { storeUsers } from "../warehouse/users.ts";
import type { World } from "../world.ts";

const defaultRecordBytes = 16 * 1024 * 1024;

/** Registers `rebuild`. */
export function rebuild(program: Command, world: World): void {
  program
    .command("rebuild")
    .description("make the database anew from the landed pages alone, and compare digests")
    .option("--force", "take the rebuilt database even when its digest differs")
    .addHelpText(
      "after",
      "\nExamples:\n  auditlake rebuild\n\nUse it after a change of the catalog, or when the database is damaged.",
    )
    .action(async ({ force }: { force?: true }, command: Command) => {
      const settings = settle(command, world);
      if (!existsSync(settings.home.landing))
        throw new AuditlakeError(
          `nothing to rebuild from: ${settings.home.landing} does not exist; run auditlake ingest or import first`,
        );
      await withLock(settings, world, "rebuild", () => runRebuild(settings, force === true, world));
    });
}

async function runRebuild(settings: Settings, force: boolean, world: World): Promise<void> {
  const { home } = settings;
  const anew = join(home.staging, "rebuilt.duckdb");
  const before = existsSync(home.warehouse) ? await digestOf(settings, home.warehouse) : undefined;
  const after = await withDatabase(settings, anew, (writer) => loadAll(settings, writer, world));
  const agrees = before === undefined || before === after;
  if (!agrees && !force)
    throw new AuditlakeError(
      `the rebuilt database has digest ${after}, the present one ${before}; nothing was changed; --force takes the rebuilt one`,
    );
  renameSync(anew, home.warehouse);
  rmSync(`${home.warehouse}.wal`, { force: true });
  await publishWarehouse(settings);
  if (settings.flags.quiet !== true)
    world.stderr.write(
      `rebuilt ${home.warehouse}, digest ${after}${before === undefined ? "" : agrees ? ", equal to the one before" : `, before ${before}`}\n`,
    );
}

// Landed records of several sources are loaded together, so the most generous limit holds.
function longestRecord({ config }: Settings): number {
  const limits = Object.values(config.sources).map((source) => source.limits.max_record_bytes);
  return Math.max(defaultRecordBytes, ...limits);
}

async function withDatabase<T>(
  settings: Settings,
  path: string,
  work: (writer: Writer) => Promise<T>,
): Promise<T> {
  const writer = await openWriter(settings, path, longestRecord(settings));
  await using _database = writer.database;
  return await work(writer);
}

async function digestOf(settings: Settings, path: string): Promise<string | undefined> {
  try {
    return await withDatabase(settings, path, digest);
  } catch {
    // A database that does not open is what rebuild is for.
    return undefined;
  }
}

async function loadAll(settings: Settings, writer: Writer, world: World): Promise<string> {
  const { home, flags } = settings;
  const manifests = listManifests(home.landing);
  const progress = newProgress(
    flags.progress,
    flags.quiet === true,
    manifests.length,
    "reads",
    world,
  );
  const like = {
    ...newRun({
      runId: "",
      source: "",
      command: "rebuild",
      startedAt: toTimestamp(world.now()),
      rangeStart: null,
      rangeEnd: null,
      catalogVersion: writer.catalogVersion,
      toolVersion: toolVersion(),
    }),
    outcome: "done" as const,
  };
  try {
    for (const { source, readAt, users } of listUsers(home.landing))
      await storeUsers(writer.database.connection, source, userList.parse(users), readAt);
    await loadManifests(manifests, like, home, writer, world, progress.update);
    await writer.database.connection.run("checkpoint");
    return await digest(writer);
  } finally {
    progress.end();
  }
}

async function digest({ database }: Writer): Promise<string> {
  const [row] = await queryFile(database.connection, "queries/load/digest.sql");
  return String(row?.["digest"]);
}
