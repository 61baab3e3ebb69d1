import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { configSchema } from "../../../schemas/config.ts";
import { getMessage, UsageError } from "../../base/errors.ts";
import { getAssetPath } from "../../base/home/assets.ts";
import { createHome, resolveHome } from "../../base/home/layout.ts";
import { chooseSource, type NamedSource, type Settings } from "../../base/home/settings.ts";
import type { Report } from "../../base/report/find.ts";
import type { World } from "../../base/world.ts";
import { landFile } from "../import/land-file.ts";
import { importUsers, loadFiles, newLanding } from "../import/load-files.ts";
import { bringKnownTexts, readTexts } from "../query-texts/read-due.ts";
import { foldDue } from "../store/derived.ts";
import { openWriter, type Writer } from "../writer/open.ts";
import { chooseDetections, type Detection } from "../detect/detections.ts";
import { askOn, findHits } from "../detect/hits.ts";

// The file NAME.test.json beside a detection lists records that it must find and records just below its limits. Each
// case is a source of its own in one database, so that all cases are loaded together.

const record = z.looseObject({
  time: z.union([z.string(), z.number()]),
  /** The same record so many times, each `every_seconds` after the one before; `{n}` in texts is its number. */
  repeat: z.int().min(1).max(10_000).optional(),
  every_seconds: z.int().min(0).optional(),
});

const testCase = z.strictObject({
  title: z.string().min(1),
  users: z.array(z.looseObject({ id: z.union([z.string(), z.number()]) })).default([]),
  records: z.array(record),
  /** The keys that are found, without the source; texts. */
  expected: z.array(z.record(z.string(), z.string().nullable())),
});

const testFile = z.strictObject({
  /** Settings of `detections.NAME.parameters`. */
  parameters: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
  /** Settings of `findings`. */
  findings: z.looseObject({}).default({}),
  cases: z.array(testCase).min(1),
});

type TestCase = z.infer<typeof testCase>;

/** What a case of a detection came to: the keys that were found, and whether they are those expected. */
export type CaseResult = {
  readonly detection: string;
  readonly title: string;
  readonly isPassed: boolean;
  readonly expected: readonly string[];
  readonly found: readonly string[];
};

/**
 * Runs the cases of a detection over records that are really loaded, in a temporary home. Throws UsageError where the
 * file of cases does not exist or is not of the form.
 */
export async function tryCases(report: Report, path: string, world: World): Promise<CaseResult[]> {
  const { parameters, findings, cases } = readCases(path);
  const sources = Object.fromEntries(cases.map((_, n) => [nameSource(n), {}]));
  const config = configSchema.parse({
    sources,
    detections: { [report.name]: { parameters } },
    findings,
  });
  const [detection] = chooseDetections([report], config);
  const folder = mkdtempSync(join(tmpdir(), "auditlake-cases-"));
  const settings: Settings = {
    home: resolveHome(join(folder, "home")),
    config,
    configFile: undefined,
    configFolder: folder,
    flags: { logLevel: "silent", quiet: true, progress: "none" },
  };
  try {
    await createHome(settings.home, () => undefined);
    const writer = await openWriter(settings, settings.home.warehouse, world);
    await using _database = writer.database;
    for (const [n, each] of cases.entries()) await loadCase(each, n, { settings, writer, world });
    return await judgeCases(detection!, cases, writer, world);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The file with the cases of a detection, beside it; it need not exist. */
export function getCasesFile({ file, isBuiltIn }: Report): string {
  const path = file.replace(/\.sql$/, ".test.json");
  return isBuiltIn ? getAssetPath(path) : path;
}

/** The cases of a file; throws UsageError where it is not of the form. */
export function readCases(path: string): z.infer<typeof testFile> {
  try {
    return testFile.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (error) {
    const text = error instanceof z.ZodError ? z.prettifyError(error) : getMessage(error);
    throw new UsageError(`${path}: not a file of cases: ${text.replaceAll("\n", "; ")}`);
  }
}

function nameSource(number: number): string {
  return `case_${number + 1}`;
}

type Loading = { readonly settings: Settings; readonly writer: Writer; readonly world: World };

async function loadCase(
  { users, records }: TestCase,
  number: number,
  { settings, writer, world }: Loading,
): Promise<void> {
  const flags = { ...settings.flags, source: nameSource(number) };
  const source: NamedSource = chooseSource({ ...settings, flags }, { ...world, env: {} });
  const importing = { settings, source, writer, world };
  const file = join(settings.configFolder, `${source.name}.json`);
  if (users.length > 0) {
    writeFileSync(file, JSON.stringify({ users }));
    await importUsers(file, importing);
  }
  const lines = records.flatMap(expandRecord).map((each) => `${JSON.stringify(each)}\n`);
  if (lines.length === 0) return;
  writeFileSync(file, lines.join(""));
  const to = newLanding({ recordsAt: null }, importing);
  const landed = await landFile(file, to, () => undefined);
  await loadFiles([landed], to, importing);
}

/** Expands a record of a case to the records that the service would send. */
export function expandRecord({
  repeat: times = 1,
  every_seconds = 1,
  ...one
}: z.infer<typeof record>): object[] {
  const text = JSON.stringify(one);
  const startMs = typeof one.time === "number" ? one.time * 1000 : Date.parse(one.time);
  return Array.from({ length: times }, (_, n) => ({
    ...(JSON.parse(text.replaceAll("{n}", String(n + 1))) as object),
    time: startMs / 1000 + n * every_seconds,
  }));
}

const always = { startMs: Date.UTC(1970, 0, 1), endMs: Date.UTC(2200, 0, 1) };

const textsMs = 60_000;

async function judgeCases(
  detection: Detection,
  cases: readonly TestCase[],
  { database: { connection } }: Writer,
  world: World,
): Promise<CaseResult[]> {
  await foldDue(connection);
  if (await bringKnownTexts(connection)) {
    await readTexts(connection, textsMs, world, () => undefined, true);
    await foldDue(connection);
  }
  const hits = await findHits(askOn(connection), detection, always);
  return cases.map(({ title, expected: keys }, n) => {
    const own = hits.filter(({ source, isKnown }) => source === nameSource(n) && !isKnown);
    const found = [...new Set(own.map(({ key }) => formatKey(JSON.parse(key))))].toSorted();
    const expected = [...new Set(keys.map(formatKey))].toSorted();
    const isPassed = found.join("\n") === expected.join("\n");
    return { detection: detection.name, title, isPassed, expected, found };
  });
}

function formatKey(key: Readonly<Record<string, string | null>>): string {
  const named = Object.entries(key).filter(([name]) => name !== "source");
  return named
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value ?? "null"}`)
    .join(", ");
}
