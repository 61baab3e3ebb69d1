import { notify, fault } from "../../base/notice/notice.ts";
import { statSync } from "node:fs";
import { basename } from "node:path";
import { AuditlakeError, exitCode, type ExitCode, getMessage } from "../../base/errors.ts";
import type { FileForm } from "./pages.ts";
import type { NamedSource, Settings } from "../../base/home/settings.ts";
import { formatIdProposal, warnOfUnlikeIds, withStoredId } from "../load/own-ids.ts";
import { escapeControls } from "../../base/printable.ts";
import { withWriter } from "../session/write.ts";
import { formatCommand } from "../../base/command-line.ts";
import { newSourceNotice } from "../completeness/reading.ts";
import { formatCount } from "../../base/terminal/amounts.ts";
import { printer } from "../../base/notice/printer.ts";
import { newProgress } from "../../base/terminal/progress.ts";
import type { World } from "../../base/world.ts";
import { type LandedFile, landFile, type Landing } from "./land-file.ts";
import {
  type ImportContext,
  importUsers,
  isUnusable,
  loadFiles,
  newLanding,
  printCounts,
} from "./load-files.ts";

/** Record files, and the file of the user directory if it exists. */
type GivenFiles = {
  readonly files: readonly string[];
  readonly users: string | undefined;
  readonly form: FileForm;
};

/** What was stored of the files, and which of them failed or are left after an interrupt. */
type LandedFiles = {
  readonly files: readonly LandedFile[];
  readonly failed: number;
  /** Whether some records of a file could not be read. */
  readonly isPartial: boolean;
  readonly left: readonly string[];
};

/**
 * Loads files under one lock, as one read and with one publication. A file that fails does not stop the others, and an
 * interrupt ends behind the one under way. Sets the exit code; throws AuditlakeError where files are left.
 */
export async function importAll(
  { files, users, form }: GivenFiles,
  settings: Settings,
  source: NamedSource,
  world: World,
): Promise<ExitCode | undefined> {
  let areUsersTaken = true;
  let landed: LandedFiles = { files: [], failed: 0, isPartial: false, left: files };
  const code = await withWriter(
    settings,
    world,
    "import",
    async (writer) => {
      const importing: ImportContext = { settings, source, writer, world };
      const newSource = await newSourceNotice(writer.database.connection, source, settings);
      if (newSource !== undefined) notify(world, newSource);
      if (users !== undefined) areUsersTaken = await importUsers(users, importing);
      const named = await withStoredId(writer.database.connection, source);
      landed = await importFiles(files, form, { ...importing, source: named });
      const isAnyDone = landed.failed < files.length || (users !== undefined && areUsersTaken);
      return isAnyDone ? undefined : exitCode.failed;
    },
    "grown",
  );
  const { failed, isPartial, left } = landed;
  if (left.length > 0)
    throw new AuditlakeError(
      `interrupted: ${files.length - left.length} of ${formatCount(files.length, "file")} done; continue with ${formatImport(source, left)}`,
      exitCode.interrupted,
    );
  const isWhole = failed === 0 && !isPartial && areUsersTaken;
  return isWhole ? code : (code ?? exitCode.partial);
}

// For pasting: with the same source, and any file names.
function formatImport({ name }: NamedSource, files: readonly string[]): string {
  const words = files.map((file) => (file.startsWith("-") ? `./${file}` : file));
  return formatCommand("import", "--source", name, ...words);
}

async function importFiles(
  files: readonly string[],
  form: FileForm,
  importing: ImportContext,
): Promise<LandedFiles> {
  const { settings, source, world } = importing;
  const startMs = world.now();
  const to = newLanding(form, importing);
  const landed = await landAll(files, to, importing);
  if (landed.files.length === 0) return landed;
  const { counts, unlike } = await loadFiles(landed.files, to, importing);
  const isQuiet = settings.flags.quiet ?? false;
  printCounts(counts, world.now() - startMs, isQuiet, printer(world));
  const idAt = landed.files.find((one) => one.idAt !== undefined)?.idAt;
  if (idAt !== undefined && !isQuiet) printer(world)(formatIdProposal(source, idAt));
  for (const notice of warnOfUnlikeIds(unlike, source)) notify(world, notice);
  const isPartial = counts.some(({ quarantined }) => quarantined > 0);
  const isOdd = isPartial || idAt !== undefined || unlike > 0 || counts.some((c) => c.nameless > 0);
  if (isOdd && !isQuiet)
    printer(world)(`to undo this import: ${formatCommand("import", "--undo", to.read.readId)}`);
  const failed = landed.failed + counts.filter(isUnusable).length;
  return { ...landed, failed, isPartial };
}

async function landAll(
  files: readonly string[],
  to: Landing,
  { settings, world }: ImportContext,
): Promise<LandedFiles> {
  const { progress: kind, quiet = false } = settings.flags;
  const landed: LandedFile[] = [];
  let failed = 0;
  for (const [i, file] of files.entries()) {
    if (world.signal.aborted)
      return { files: landed, failed, isPartial: false, left: files.slice(i) };
    const totalMegabytes = Math.ceil(statSync(file).size / 1e6);
    const progress = newProgress(kind, quiet, totalMegabytes, "MB", world);
    let megabytes = 0;
    const showRead = (bytes: number): void => {
      // Reading a part again does not move the progress back.
      megabytes = Math.max(megabytes, Math.round(bytes / 1e6));
      progress.update(megabytes, escapeControls(basename(file)));
    };
    try {
      landed.push(await landFile(file, to, showRead));
    } catch (error) {
      if (!(error instanceof AuditlakeError)) throw error;
      failed += 1;
      notify(world, fault("file_unread", { file: escapeControls(file), why: getMessage(error) }));
    } finally {
      progress.end();
    }
  }
  return { files: landed, failed, isPartial: false, left: [] };
}
