import { basename, join } from "node:path";
import { UsageError } from "../../base/errors.ts";
import { resolveHome } from "../../base/home/layout.ts";
import type { Settings } from "../../base/home/settings.ts";
import { findReports, type Report } from "../../base/report/find.ts";
import { readValue } from "../../base/report/values.ts";
import type { ParamValue, Question } from "../../base/sql/question.ts";
import type { World } from "../../base/world.ts";
import { rebuildStore } from "../../core/rebuild/rebuild-store.ts";
import { publishWarehouse, withLock } from "../../core/session/write.ts";
import { openEngine } from "../ask/engine.ts";
import { runJob } from "../ask/job.ts";
import { resolvePublished } from "../ask/question.ts";
import type { ExportMeta } from "../report/meta.ts";
import { Mismatch } from "./verdict.ts";

/** A report, what describes its file, and a home with nothing but a landing folder. */
export type Remake = {
  readonly meta: ExportMeta;
  readonly report: Report;
  readonly root: string;
};

/**
 * Makes a report again: a database from the landed files of a home of its own, then the file by the parameters of its
 * description. Resolves to its path. Throws Mismatch where description and SQL do not fit each other.
 */
export async function makeAgain(
  { meta, report, root }: Remake,
  settings: Settings,
  world: World,
): Promise<string> {
  const question = buildQuestion(report, meta);
  const own = newOwnSettings(meta, root, settings);
  const quiet = newQuietWorld(report, world);
  await withLock(own, quiet, "verify", async () => {
    await rebuildStore(own, { carryOver: false, force: true, isSilent: true }, quiet);
    await publishWarehouse(own, quiet);
  });
  const path = join(root, `again-${basename(meta.file)}`);
  const asked = await resolveNames(report, question, own, quiet.signal);
  await using engine = await openEngine([report], own, quiet);
  const { limit = "all", ...options } = meta.options;
  await runJob(
    { report, question: asked, format: meta.format, path },
    { engine, stdout: refuse, options, limit, signal: world.signal, titled: false },
  );
  return path;
}

function refuse(): never {
  throw new TypeError("a report that is made again goes to a file");
}

// What the rows depend on is that of the export: not the time zone of today, and no key, lake or group.
function newOwnSettings(
  { source, timezone, parameters }: ExportMeta,
  root: string,
  { config, flags, ...settings }: Settings,
): Settings {
  const zones = [timezone, parameters["timezone"] ?? timezone];
  const { lake: _lake, readers_group: _group, evidence, ...rest } = config;
  const { source: _source, ...others } = flags;
  return {
    ...settings,
    home: resolveHome(root),
    config: {
      ...rest,
      evidence: { name: evidence.name },
      timezone,
      timezones: [...new Set(zones)],
    },
    flags: { ...others, findings: false, ...(source === null ? {} : { source }) },
  };
}

const textLimit = "AUDITLAKE_QUERY_TEXTS_TIME_LIMIT";

// Parses all query texts, but only for reports that use them. Notices of the rebuild do not belong to the verification.
function newQuietWorld({ sql }: Report, world: World): World {
  const limit = /\bquery_(?:tables|columns)\b/.test(sql) ? "1d" : "0s";
  return { ...world, env: { ...world.env, [textLimit]: limit }, noticed: () => undefined };
}

// A previous version of a built-in report was run with names resolved, as the present one is.
async function resolveNames(
  report: Report,
  question: Question,
  settings: Settings,
  signal: AbortSignal,
): Promise<Question> {
  const isFormer = findReports().reports.some(({ name }) => name === report.name);
  if (report.isBuiltIn || !isFormer) return question;
  const asked = { report: { ...report, isBuiltIn: true }, question };
  return (await resolvePublished(asked, settings, signal)).question;
}

function buildQuestion(report: Report, { parameters }: ExportMeta): Question {
  const names = report.params.map(({ name }) => name);
  const isSame = names.toSorted().join() === Object.keys(parameters).toSorted().join();
  if (!isSame) throw newMisfit(`the SQL has the parameters ${names.join(", ") || "none"}`);
  const values = report.params.map(({ name, type }): [string, ParamValue] => {
    const text = parameters[name]!;
    try {
      return [name, text === null ? { type, value: null } : readValue(type, text, Number.NaN)];
    } catch (error) {
      if (error instanceof UsageError) throw newMisfit(`parameter ${name}: ${error.message}`);
      throw error;
    }
  });
  return { sql: report.sql, values: Object.fromEntries(values) };
}

function newMisfit(what: string): Mismatch {
  return new Mismatch(
    "does not match the stored pages",
    `description and SQL do not match: ${what}`,
  );
}
