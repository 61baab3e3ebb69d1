import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { goldenRuns } from "../../support/golden.ts";
import { readingTexts, run } from "../../support/load.ts";

// Run as a process of its own, in the time zone to be tried: every report over the golden records, in formats
// that write times each in their own way, below the folder that is named.
const golden = fileURLToPath(new URL("../../../fixtures/golden/", import.meta.url));
const folder = process.argv[2] ?? "";
const home = ["--home", join(folder, "home")];

const [records, users] = [join(golden, "records.ndjson"), join(golden, "users.json")];
await orThrow([...home, "import", records, "--users", users]);
for (const format of ["csv", "json", "parquet"]) {
  const out = ["--out", join(folder, "reports", format)];
  for (const argv of goldenRuns)
    await orThrow([...home, "report", "run", ...argv, "--format", format, ...out]);
}

async function orThrow(argv: readonly string[]): Promise<void> {
  const { code, err } = await run(argv, readingTexts);
  if (code !== 0) throw new Error(`${argv.join(" ")}: exit code ${code}: ${err}`);
}
