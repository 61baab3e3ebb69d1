import type { DuckDBConnection } from "@duckdb/node-api";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { resolveHome } from "../../pipeline/base/home/layout.ts";
import { openPublished } from "../../pipeline/core/store/open.ts";
import { reports } from "../queries/run.ts";
import { firstBytes } from "./first-bytes.ts";
import { measure } from "./measure.ts";
import { reportTimes } from "./report-times.ts";
import { busiestSubjects, lastMonth } from "./subjects.ts";
import { bin, today, type Context } from "./traffic.ts";

/** Reports and pages where the 30 days that they read hold all events of the file. */
export async function denseCases({ folder, file, count, figures }: Context): Promise<void> {
  const home = join(folder, "dense");
  const command = `node test/bench/table.ts ${count} --only dense`;
  await measure([bin, "--home", home, "--progress", "none", "import", "--source", "files", file]);
  await using database = await openPublished(resolveHome(home).published, { memoryLimit: "1GB" });
  const times = await reportTimes(database.connection, today);
  const slowest = times.toSorted((a, b) => b.processorSeconds - a.processorSeconds)[0]!;
  figures.add({
    what: `most work of ${times.length} reports over 30 days that hold ${count} events: \`${slowest.name}\``,
    value: slowest.processorSeconds,
    unit: "s of the processor",
    aim: "0.6",
    command,
  });
  const pages = await listPages(database.connection, today);
  const bytes = (await firstBytes(home, pages)).toSorted((a, b) => b.seconds - a.seconds);
  const { path, seconds } = bytes[0]!;
  figures.add({
    what: `slowest first byte of ${bytes.length} pages of \`serve\` there: \`${path.split("?")[0]}\``,
    value: seconds,
    unit: "s",
    aim: "0.5",
    command,
  });
  rmSync(home, { recursive: true });
}

/** The pages of `serve` over the 30 days, about the busiest person, address, object and job, and every report. */
export async function listPages(
  connection: DuckDBConnection,
  untilMs: number,
): Promise<readonly string[]> {
  const subjects = await busiestSubjects(connection, untilMs);
  const range = {
    since: new Date(untilMs - 30 * 86_400_000).toISOString(),
    until: new Date(untilMs).toISOString(),
  };
  const write = (path: string, given: Readonly<Record<string, string>> = {}): string =>
    `${path}?${new URLSearchParams({ ...range, ...given }).toString()}`;
  const at = (folder: string, name: string): string =>
    write(`/${folder}/${encodeURIComponent(subjects.get(name)!)}`);
  const searches = [
    {},
    { outcome: "denied" },
    { text: "select" },
    { object: subjects.get("resource")! },
    { address: subjects.get("address")! },
    { not_address: subjects.get("address")! },
    { person: subjects.get("user")! },
  ];
  const ofReports = reports.map((report) => {
    const given = [...lastMonth(report, untilMs, subjects)].filter(([name]) => name !== "newest");
    return `/reports/${report.name}?${new URLSearchParams(given).toString()}`;
  });
  return [
    write("/"),
    write("/findings"),
    "/findings/detections",
    "/findings/suppressions",
    ...searches.map((search) => write("/events", search)),
    `/events/${subjects.get("event")!}`,
    write("/people"),
    at("people", "user"),
    at("addresses", "address"),
    at("objects", "resource"),
    at("jobs", "job_id"),
    write("/reports"),
    ...ofReports,
    "/access",
    "/sql",
    "/reference",
  ];
}
