import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { goldenRuns } from "../../support/golden.ts";
import { readingTexts, run } from "../../support/command.ts";
import { putWarehouse } from "../../support/empty-warehouse.ts";

// Runs as a process of its own, in the time zone to be tried. It writes every report over the golden records below the
// folder that is named, in formats that each write times in their own way.
const golden = fileURLToPath(new URL("../../../fixtures/golden/", import.meta.url));
const folder = process.argv[2] ?? "";
const isFew = process.argv[3] === "few";
const others = ["json", "parquet"];
const home = ["--home", join(folder, "home")];

const [records, users] = [join(golden, "records.ndjson"), join(golden, "users.json")];
await putWarehouse(join(folder, "home"));
await orThrow([...home, "import", records, "--users", users]);
// What UTC gives as CSV the golden files hold. If few are requested, reports about a subject represent all.
for (const format of isFew && process.env["TZ"] === "UTC" ? others : ["csv", ...others]) {
  const out = ["--out", join(folder, "reports", format)];
  for (const argv of isFew ? goldenRuns.slice(1) : goldenRuns)
    await orThrow([...home, "report", "run", ...argv, "--format", format, ...out]);
}

async function orThrow(argv: readonly string[]): Promise<void> {
  const { code, err } = await run(argv, { env: readingTexts });
  if (code !== 0) throw new Error(`${argv.join(" ")}: exit code ${code}: ${err}`);
}
