import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AuditlakeError, isCode, UsageError } from "../../base/errors.ts";
import { computeFileSha256, makeFolders } from "../../base/home/durable.ts";
import { describeUnreadable, readGiven } from "../../base/home/given-file.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { QueriesFlag, Report } from "../../base/report/find.ts";
import { parseJson } from "../../base/rows/json-text.ts";
import { newProgress } from "../../base/terminal/progress.ts";
import type { World } from "../../base/world.ts";
import { newSpillFolder } from "../../core/store/limits.ts";
import { readProgram } from "../../core/writer/program.ts";
import { type ExportMeta, metaSchema } from "../report/meta.ts";
import { getMetaPath } from "../report/write.ts";
import { refusePruned, refuseUsedFolder, writeBundle } from "./bundle.ts";
import { type CheckedFiles, checkFiles } from "./check-files.ts";
import { type CheckedLog, checkLog, checkOutsideHead, type LogQuestion } from "./check-log.ts";
import { describeDifferences } from "./differences.ts";
import { findReportBySql, newUnknownSqlError } from "./find-report.ts";
import { makeAgain } from "./make-again.ts";
import { Mismatch, type Result, type Step, stepNames, type Verification } from "./verdict.ts";

/** The flags of `verify`. */
export type VerifyFlags = QueriesFlag & {
  readonly meta?: string;
  readonly head?: string;
  readonly publicKey?: string;
  readonly bundle?: string;
};

/**
 * Verifies an exported file against the log of a home, the stored pages, and the report that they give. Throws
 * AuditlakeError where it cannot be checked.
 */
export async function verifyExport(
  file: string,
  flags: VerifyFlags,
  settings: Settings,
  world: World,
): Promise<Verification> {
  const { meta, path: metaFile } = readMeta(file, flags.meta);
  if (flags.bundle !== undefined) refuseUsedFolder(flags.bundle);
  const { home } = settings;
  const root = makeRoot(newSpillFolder(home.published));
  const steps: Step[] = [];
  const tally = { reads: 0 };
  const end = (result: Result, reason: string): Verification => ({
    result,
    reason,
    steps: [...steps, ...listUnchecked(steps)],
    head: meta.evidence.head,
    reads: tally.reads,
  });
  try {
    const holds = (detail: string): void =>
      void steps.push({ step: steps.length + 1, result: "holds", detail });
    holds(await checkFile(file, meta));
    const question = newLogQuestion(meta, flags, settings);
    const log = checkLog(question);
    holds(`${log.head.size} entries of ${log.head.origin}`);
    const { weakness } = checkOutsideHead(question, log);
    holds(weakness ?? "covers the entries");
    const report = findReportBySql(meta, settings, flags, world);
    const files = await stageFiles({ log, meta, root }, settings, world);
    tally.reads = files.reads.length;
    if (report === undefined) throw newUnknownSqlError(meta);
    refusePruned(files.pruned, report, meta);
    holds(`${files.reads.length} reads`);
    if (flags.bundle !== undefined)
      await writeBundle(flags.bundle, {
        file,
        metaFile,
        meta,
        outsideHead: question.outsideHead,
        report,
        log,
        files,
        landing: home.landing,
        staged: join(root, "landing"),
      });
    await compareReport({ file, meta, report, root, log }, settings, world);
    holds(`${meta.rows} rows of ${meta.report}`);
    return weakness === undefined
      ? end("proven", `${meta.rows} rows of ${meta.report}, from ${files.reads.length} reads`)
      : end("internally consistent only", weakness);
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error;
    steps.push({ step: steps.length + 1, result: "fails", detail: error.message });
    return end(error.result, error.message);
  } finally {
    rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  }
}

// Beside the data, for its disk space; an auditor's home can be read-only.
function makeRoot(path: string): string {
  try {
    mkdirSync(path, { mode: 0o700 });
    return path;
  } catch {
    return mkdtempSync(join(tmpdir(), "auditlake-verify-"));
  }
}

function listUnchecked(steps: readonly Step[]): Step[] {
  return stepNames.slice(steps.length).map((_, i) => ({
    step: steps.length + i + 1,
    result: "not checked",
    detail: "",
  }));
}

function newLogQuestion(meta: ExportMeta, flags: VerifyFlags, { home }: Settings): LogQuestion {
  const read = (path: string | undefined, flag: string): string | undefined =>
    path === undefined ? undefined : readGiven(path, flag).toString("utf8");
  return {
    landing: home.landing,
    head: meta.evidence.head,
    publicKey: meta.evidence.public_key,
    outsideHead: read(flags.head, "--head"),
    outsideKey: read(flags.publicKey, "--public-key"),
  };
}

type Staging = { readonly log: CheckedLog; readonly meta: ExportMeta; readonly root: string };

async function stageFiles(
  { log, meta, root }: Staging,
  { home: { landing }, flags }: Settings,
  world: World,
): Promise<CheckedFiles> {
  const leaves = log.leaves.slice(0, log.head.size);
  const staged = join(root, "landing");
  makeFolders(staged);
  const progress = newProgress(
    flags.progress,
    flags.quiet === true,
    leaves.length,
    "entries",
    world,
  );
  const { source } = meta;
  const onProgress = progress.update;
  try {
    return await checkFiles({ landing, leaves, all: log.leaves, source, staged, onProgress });
  } finally {
    progress.end();
  }
}

type Comparison = {
  readonly file: string;
  readonly meta: ExportMeta;
  readonly report: Report;
  readonly root: string;
  readonly log: CheckedLog;
};

async function compareReport(
  { file, meta, report, root, log }: Comparison,
  settings: Settings,
  world: World,
): Promise<void> {
  const again = await makeAgain({ meta, report, root }, settings, world);
  if ((await computeFileSha256(again)) === meta.sha256) return;
  const what = await describeDifferences(file, again, meta, settings);
  throw new Mismatch(
    (await isOtherProgram(meta, log, settings))
      ? "produced by another version"
      : "does not match the stored pages",
    what,
  );
}

/** Checks whether another program version or catalog wrote a file, according to the log entries below the head. */
async function isOtherProgram(
  { program: writer }: ExportMeta,
  { leaves, head }: CheckedLog,
  settings: Settings,
): Promise<boolean> {
  const isWriter = (one: ExportMeta["program"]): boolean =>
    one.version === writer.version &&
    one.catalog_sha256 === writer.catalog_sha256 &&
    one.bundle_sha256 === writer.bundle_sha256;
  if (isWriter(await readProgram(settings))) return false;
  return leaves.slice(0, head.size).some((leaf) => leaf.kind === "program" && isWriter(leaf));
}

/** Reads the description of an exported file. Throws AuditlakeError for an invalid one. */
function readMeta(
  file: string,
  given: string | undefined,
): { readonly meta: ExportMeta; readonly path: string } {
  const path = given ?? getMetaPath(file);
  const text = given === undefined ? readBeside(path) : readGiven(path, "--meta").toString("utf8");
  const { data } = metaSchema.safeParse(parseJson(text));
  if (data !== undefined) return { meta: data, path };
  throw new AuditlakeError(
    `${path} has no log head, SQL and parameters to verify against; expected a file that report run --meta wrote`,
  );
}

/** Compares a file with its description. Throws Mismatch. */
async function checkFile(file: string, { sha256 }: ExportMeta): Promise<string> {
  const found = await computeFileSha256(file).catch((error: unknown) => {
    throw new UsageError(`cannot read ${file}: ${describeUnreadable(error)}`);
  });
  if (found === sha256) return `SHA-256 ${sha256}`;
  throw new Mismatch("file changed since export", `its SHA-256 is ${found}, expected ${sha256}`);
}

function readBeside(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (!isCode(error, "ENOENT")) throw error;
    throw new AuditlakeError(
      `${path} does not exist; name the description of the file with --meta`,
    );
  }
}
