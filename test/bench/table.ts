import { mkdtempSync, rmSync, statSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { denseCases } from "./dense-cases.ts";
import { newFigures } from "./figures.ts";
import { filesCases } from "./files-cases.ts";
import { historyCases, historyCommand } from "./history-cases.ts";
import { httpCases } from "./http-cases.ts";
import { othersCases } from "./others-cases.ts";
import { writeEvents } from "./events-file.ts";
import { buildMonth } from "./traffic.ts";

// The table of docs/measured.md, medians of `--rounds` (3). Argument: number of events (default 1000000). `--json FILE`
// writes it as JSON, too; `--only files,dense,http,history,others` leaves the other cases out. The default is all but
// `others`.
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "string" }, rounds: { type: "string" }, only: { type: "string" } },
});
const events = Number(positionals[0] ?? 1_000_000);
const rounds = Number(values.rounds ?? 3);
const only = values.only?.split(",");
const isWanted = (cases: string): boolean => only?.includes(cases) ?? cases !== "others";
// From here on the same is measured on a tenth, too.
const longHistory = 10_000_000;
const folder = mkdtempSync(join(tmpdir(), "auditlake-bench-"));
// Rows are published before texts are parsed and detections evaluated; the cases about these set it otherwise.
process.env["AUDITLAKE_QUERY_TEXTS_TIME_LIMIT"] = "0s";
process.env["AUDITLAKE_FINDINGS"] = "off";

try {
  const figures = newFigures((line) => void process.stdout.write(`${line}\n`));
  const file = join(folder, "events.ndjson");
  // The other cases have events of their own.
  const hasFile = ["files", "others", "dense"].some(isWanted);
  const count = await writeEvents(buildMonth(events), file, hasFile ? events : 0);
  const megabytes = (statSync(file).size / 1e6).toFixed(0);
  process.stdout.write(
    `${events} events, ${megabytes} MB in a file; ${cpus().length} cores, Node ${process.versions.node}, median of ${rounds}\n\n`,
  );
  const context = { folder, file, count, rounds, figures };
  if (isWanted("files")) await filesCases(context);
  if (isWanted("others")) await othersCases(context);
  if (isWanted("dense")) await denseCases(context);
  rmSync(file);
  if (isWanted("http")) await httpCases(context, events);
  if (isWanted("history")) {
    const seconds = await historyCases(context, events);
    if (events >= longHistory)
      figures.add({
        what: `the same / the same onto a tenth of ${events}`,
        value: seconds / (await historyCases(context, events / 10)),
        unit: "times",
        aim: "1.3",
        command: historyCommand(events),
      });
  }
  figures.printGoals();
  if (values.json !== undefined) figures.writeTo(values.json);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
