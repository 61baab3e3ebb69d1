import { createHash } from "node:crypto";
import type { ReportEngine } from "../../pipeline/answers/report/engine.ts";
import type { Report } from "../../pipeline/base/report/find.ts";
import { renderRows } from "../../pipeline/answers/report/formats.ts";
import type { Sink } from "../../pipeline/answers/report/result.ts";
import type { Question } from "../../pipeline/base/sql/question.ts";

/** What a report gives on an engine: how many rows, and the SHA-256 of all of them as CSV, in their order. */
export async function readResult(
  engine: ReportEngine,
  report: Report,
  question: Question,
  signal: AbortSignal,
): Promise<{ readonly rows: number; readonly sha256: string }> {
  const hash = createHash("sha256");
  const sink: Sink = (text) => Promise.resolve(void hash.update(text));
  const rows = await renderRows("csv", await engine.rows(report, question, signal), sink);
  return { rows, sha256: hash.digest("hex") };
}
