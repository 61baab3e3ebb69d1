import { statSync } from "node:fs";
import { AuditlakeError, exitCode, messageOf } from "../errors.ts";
import type { NamedSource, Settings } from "../home/settings.ts";
import { withWriter } from "../session/write.ts";
import { shellWords } from "../schedule/call.ts";
import type { RunRow } from "../store/ledger/record.ts";
import { newSourceLine } from "../status/new-source.ts";
import { countText, plural } from "../terminal/amounts.ts";
import { printer } from "../terminal/printer.ts";
import { newProgress } from "../terminal/progress.ts";
import type { World } from "../world.ts";
import { importFile, type Importing } from "./one-file.ts";
import { importUsers } from "./users-file.ts";

/** Files of records, and the one of the user directory where there is one. */
type Given = { readonly files: readonly string[]; readonly users: string | undefined };

/**
 * Loads one file after the other, under one lock and with one publication. One that fails does not stop the others, and
 * an interrupt ends behind the one under way. Sets the exit code; throws AuditlakeError where files are left.
 */
export async function importAll(
  { files, users }: Given,
  settings: Settings,
  source: NamedSource,
  world: World,
): Promise<void> {
  const failures: string[] = [];
  let areUsersTaken = true;
  let left: readonly string[] = [];
  await withWriter(settings, world, "import", async (writer) => {
    const importing: Importing = { settings, source, writer, world };
    const newSource = await newSourceLine(writer.database.connection, source, settings);
    if (newSource !== undefined) world.stderr.write(`warning: ${newSource}\n`);
    if (users !== undefined) areUsersTaken = await importUsers(users, importing);
    for (const [i, file] of files.entries()) {
      if (world.signal.aborted) left = files.slice(i);
      if (left.length > 0) break;
      try {
        await importOne(file, importing);
      } catch (error) {
        if (!(error instanceof AuditlakeError)) throw error;
        failures.push(file);
        printer(world)(`error: ${file}: ${messageOf(error)}`);
      }
    }
    const isAnyDone = failures.length < files.length || (users !== undefined && areUsersTaken);
    if (!isAnyDone) process.exitCode = exitCode.failed;
  });
  if (left.length > 0)
    throw new AuditlakeError(
      `interrupted: ${files.length - left.length} of ${plural(files.length, "file")} done; go on with ${importOf(source, left)}`,
      exitCode.interrupted,
    );
  if (failures.length > 0) process.exitCode ||= exitCode.partial;
  else if (!areUsersTaken) process.exitCode = exitCode.partial;
}

// So that it can be pasted: into the same source, and whatever the files are called.
function importOf({ name }: NamedSource, files: readonly string[]): string {
  const words = files.map((file) => (file.startsWith("-") ? `./${file}` : file));
  return `auditlake import ${shellWords(["--source", name, ...words])}`;
}

async function importOne(file: string, importing: Importing): Promise<void> {
  const { settings, world } = importing;
  const { progress: kind, quiet = false } = settings.flags;
  const startMs = world.now();
  const megabytes = Math.ceil(statSync(file).size / 1e6);
  const progress = newProgress(kind, quiet, megabytes, "MB", world);
  let run: RunRow;
  try {
    run = await importFile(file, importing, progress.update);
  } finally {
    progress.end();
  }
  if (!quiet) printer(world)(summary(file, run, world.now() - startMs));
  else if (run.quarantined > 0)
    printer(world)(
      `warning: ${file}: ${plural(run.quarantined, "record")} could not be read and went to the quarantine; see auditlake status`,
    );
}

function summary(file: string, run: RunRow, ms: number): string {
  const rate = Math.round(run.fetched / Math.max(ms / 1000, 0.001));
  const kept = run.quarantined > 0 ? `, ${run.quarantined} quarantined (see auditlake status)` : "";
  return `${file}: ${plural(run.fetched, "record")}, ${countText(run.inserted)} new, ${plural(run.duplicate, "duplicate")}${kept}, in ${(ms / 1000).toFixed(1)} s (${countText(rate)} per second)`;
}
