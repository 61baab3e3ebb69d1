import { readFileSync, rmSync } from "node:fs";
import { z } from "zod";
import type { Job } from "./job.ts";
import type { Ended } from "./job-outcome.ts";
import type { Settings } from "../../base/home/settings.ts";
import { scheduleFile } from "./jobs.ts";
import { makeFolders } from "../../base/home/folders.ts";

const amount = z.int().min(0);
const cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const summary = z.object({
  runs: z
    .array(
      z.object({
        accepted: amount,
        refused: amount,
        doubtful: amount,
        refused_rows: z
          .array(
            z.object({ id: z.string(), status: z.string(), state: z.string(), reason: z.string() }),
          )
          .default([]),
      }),
    )
    .default([]),
  reports: z
    .array(z.object({ columns: z.array(z.string()), rows: z.array(z.array(cell)) }))
    .default([]),
});

/** Where a job of the schedule says what it came to; undefined for one that says nothing. Nothing lies there yet. */
export function summaryFile(
  { name, argv, noticeRows = 0 }: Job,
  { home }: Settings,
): string | undefined {
  const delivers = argv[0] === "export" || argv[0] === "activate";
  const finds = noticeRows > 0 && argv.includes("--fail-on-rows");
  if (!delivers && !finds) return undefined;
  makeFolders(scheduleFile(home, ""));
  const path = scheduleFile(home, `summary-${name}.json`);
  rmSync(path, { force: true });
  return path;
}

/** What the job came to: rows that arrived and did not, and of those that it found or that did not arrive the first. */
export function readSummary(path: string, rows: number): Pick<Ended, "counts" | "table"> {
  try {
    const { runs, reports } = summary.parse(JSON.parse(readFileSync(path, "utf8")));
    return { counts: countsOf(runs), table: rows === 0 ? null : tableOf(runs, reports, rows) };
  } catch {
    // A command that ended before it said anything has left none.
    return {};
  } finally {
    rmSync(path, { force: true });
  }
}

type Summary = z.infer<typeof summary>;

function countsOf(runs: Summary["runs"]): Ended["counts"] {
  if (runs.length === 0) return null;
  const of = (name: "accepted" | "refused" | "doubtful"): number =>
    runs.reduce((sum, run) => sum + run[name], 0);
  return { accepted: of("accepted"), refused: of("refused"), doubtful: of("doubtful") };
}

function tableOf(
  runs: Summary["runs"],
  reports: Summary["reports"],
  limit: number,
): Ended["table"] {
  const refused = runs.flatMap((run) => run.refused_rows);
  if (refused.length > 0) {
    const rows = refused
      .slice(0, limit)
      .map(({ status, id, state, reason }) => [status, id, state, reason]);
    return { columns: ["class", "id", "state", "reason"], rows };
  }
  const found = reports.find((report) => report.rows.length > 0);
  if (found === undefined) return null;
  const rows = found.rows.slice(0, limit).map((row) => row.map((each) => String(each ?? "")));
  return { columns: found.columns, rows };
}
