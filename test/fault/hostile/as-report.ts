import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { configSchema } from "../../../schemas/config.ts";
import { AuditlakeError, exitCode } from "../../../pipeline/base/errors.ts";
import { resolveHome } from "../../../pipeline/base/home/layout.ts";
import { findReports, type Report } from "../../../pipeline/base/report/find.ts";
import { buildQuestion } from "../../../pipeline/base/report/params.ts";
import type { Row } from "../../../pipeline/base/rows/row.ts";
import { writeTable } from "../../../pipeline/answers/ask/confined-engine.ts";
import { openEngine } from "../../../pipeline/answers/ask/engine.ts";
import type { Settings } from "../../../pipeline/base/home/settings.ts";
import { openInMemory } from "../../../pipeline/core/store/open.ts";
import { newRealWorld } from "../../../pipeline/base/world.ts";
import type { End } from "./cases.ts";
import type { Ran } from "./field.ts";

/** How the rows of a report are used: `report run` and `export` stream them, an activation stores them in a table. */
export const ways = ["rows", "parquet", "table"] as const;
export type Way = (typeof ways)[number];

const mostRows = 10_000;

/** A report file with a statement in it. */
export function reportText(sql: string): string {
  return `-- title: Hostile\n-- grain: none\n\n${sql}`;
}

/** Runs a statement as the file of a report, as the verbs do, with its rows going one of their ways. */
export function asReport(way: Way) {
  return async (sql: string, database: string, timeoutMs: number): Promise<Ran> => {
    const folder = join(dirname(dirname(database)), "reports");
    const out = join(folder, "out");
    mkdirSync(out, { recursive: true });
    const file = join(folder, "hostile.sql");
    writeFileSync(file, reportText(sql));
    try {
      const report = findReports(folder).reports.find(({ isBuiltIn }) => !isBuiltIn)!;
      const settings = readSettings(dirname(database), timeoutMs);
      return { end: "answered", text: await results[way](report, join(out, "result"), settings) };
    } catch (error) {
      if (!(error instanceof AuditlakeError)) throw error;
      return { end: readEnd(error, file), text: error.message };
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
}

const world = newRealWorld(new AbortController().signal);

const results: Readonly<
  Record<Way, (report: Report, path: string, settings: Settings) => Promise<string>>
> = {
  rows: async (report, _path, settings) => {
    await using engine = await openEngine([report], settings, world);
    const { batches } = await engine.rows(report, ask(report), world.signal);
    const rows: Row[] = [];
    for await (const batch of batches) {
      rows.push(...batch);
      if (rows.length >= mostRows) break;
    }
    return show(rows);
  },
  parquet: async (report, path, settings) => {
    writeFileSync(path, "");
    await using engine = await openEngine([report], settings, world);
    await engine.parquet(report, ask(report), path, "all", world.signal);
    return await rowsText(`select * from read_parquet('${path}')`);
  },
  table: async (report, path, settings) => {
    await writeTable(report, ask(report), path, settings, world);
    return rowsText("select * from made.rows", `attach '${path}' as made (read_only)`);
  },
};

function ask(report: Report): ReturnType<typeof buildQuestion> {
  return buildQuestion(report, new Map(), 0);
}

async function rowsText(sql: string, first = "select 1"): Promise<string> {
  await using database = await openInMemory({ memoryLimit: "500MB", threads: 1 });
  await database.connection.run(first);
  return show((await database.connection.runAndReadAll(`${sql} limit 100`)).getRows());
}

function show(rows: readonly unknown[]): string {
  return JSON.stringify(rows.slice(0, 100), (_key, value: unknown) =>
    typeof value === "bigint" ? String(value) : value,
  );
}

// The file is named in every refusal.
function readEnd(error: AuditlakeError, file: string): End {
  if (!error.message.startsWith(`${file}: `)) throw new Error(`names no file: ${error.message}`);
  if (/[\r\n]/.test(error.message)) throw new Error(`more than one line: ${error.message}`);
  if (error.exitCode === exitCode.usage) return "refused";
  return /: (stopped after|the query process ended early)/.test(error.message)
    ? "stopped"
    : "rejected";
}

function readSettings(home: string, timeoutMs: number): Settings {
  const limits = { memory_limit: "256MB", threads: 1, report_timeout: timeoutMs };
  return {
    home: resolveHome(home),
    config: configSchema.parse(limits),
    configFile: undefined,
    configFolder: home,
    flags: { logLevel: "silent", progress: "none" },
  };
}
