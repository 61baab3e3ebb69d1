import { findReports } from "../../pipeline/base/report/find.ts";
import { listMissingParams } from "../../pipeline/base/report/params.ts";

// The questions that the golden CSVs answer; see fixtures/golden/README.md. Nothing in them depends on today.

// Who and what the reports are about that need to know.
const subjects = {
  user: "rosa.olsen@example.com",
  address: "192.0.2.202",
  resource: "Month end",
  job: "20514000003",
  table: "costs",
  networks: "198.51.100.0/25, 2001:db8::/32",
};
const range = ["--since", "2026-03-02", "--until", "2026-03-05"];
const about = Object.entries(subjects).flatMap(([name, value]) => ["--param", `${name}=${value}`]);
const needing = findReports()
  .reports.filter((report) => listMissingParams(report, new Map()).length > 0)
  .map(({ name }) => name);

/** What follows `report run` for all reports: first those that need nothing, then those that need a subject. */
export const goldenRuns: readonly (readonly string[])[] = [
  ["--all", ...range, "--param", "on=2026-03-05"],
  [...needing, ...range, ...about],
];
