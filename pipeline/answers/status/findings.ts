import { formatLine } from "./print.ts";
import type { DuckDBConnection } from "@duckdb/node-api";
import { bindSource, type Facts, queryFacts } from "../../base/sql/facts.ts";
import { escapeControls } from "../../base/printable.ts";
import { countText, wrapText } from "../../base/terminal/amounts.ts";

/** Findings by severity and state, and the detections that failed in the last run. */
export type FindingFacts = { readonly counts: readonly Facts[]; readonly failed: readonly Facts[] };

/** Reads how many findings each severity and state has, of one source or of all. */
export async function readFindingFacts(
  connection: DuckDBConnection,
  source: string | undefined,
): Promise<FindingFacts> {
  const file = "queries/status/findings.sql";
  return {
    counts: await queryFacts(connection, `${file}#counts`, bindSource(source)),
    failed: await queryFacts(connection, `${file}#failed`, {}),
  };
}

/** The same as a line of text, and a warning for each failed detection; empty where nothing was ever found or failed. */
export function formatFindings({ counts, failed }: FindingFacts, columns: number): string {
  const warnings = failed.flatMap(({ detection, error }) =>
    wrapText(
      escapeControls(
        `warning: the detection ${String(detection)} failed in the last run: ${String(error)}; the next run evaluates it again`,
      ),
      columns,
    ),
  );
  const line = counts.length === 0 ? "" : formatLine("findings", formatOpen(counts));
  return [line, ...warnings.map((each) => `${each}\n`)].join("");
}

function formatOpen(counts: readonly Facts[]): string {
  const open = counts.filter(({ state }) => state === "open");
  const total = open.reduce((sum, { findings }) => sum + Number(findings), 0);
  const parts = open.map(
    ({ severity, findings }) => `${countText(Number(findings))} ${String(severity)}`,
  );
  return parts.length === 0 ? "none open" : `${countText(total)} open (${parts.join(", ")})`;
}
