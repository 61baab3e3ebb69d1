import { constants, cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { makeTraffic } from "../../fixtures/traffic.ts";
import { resolveHome } from "../../pipeline/base/home/layout.ts";
import { type Database, openPublished } from "../../pipeline/core/store/open.ts";
import { objectStore, requireTools } from "../lake/tools.ts";
import { writeEvents } from "./events-file.ts";
import { newFigures } from "./figures.ts";
import { lakeReports } from "./lake-reports.ts";
import { dayMs, measure, type Measured, processorSeconds } from "./measure.ts";
import { bin, today } from "./traffic.ts";

// What a lake in an object store costs, the store on the same cores. Argument: number of events (default 1000000), or
// BENCH_HOME, a home that is copied. `--json FILE` writes the table as JSON, too; `--no-reports` leaves those out.
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "string" }, "no-reports": { type: "boolean" } },
});
const wanted = Number(positionals[0] ?? 1_000_000);
const given = process.env["BENCH_HOME"];
// As many events a day as of a small company at least, and a year at most.
const historyDays = Math.min(365, Math.max(2, Math.ceil(wanted / 1000)));

requireTools();
await using stack = new AsyncDisposableStack();
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void stack.disposeAsync().then(() => process.exit(130)));
const folder = mkdtempSync(join(tmpdir(), "auditlake-bench-lake-"));
stack.defer(() => rmSync(folder, { recursive: true, force: true }));
const home = join(folder, "home");
const store = stack.use(await objectStore());
const lake = { location: "s3://audit/lake", endpoint: store.endpoint };
const config = join(folder, "auditlake.json");
writeFileSync(config, JSON.stringify({ lake }));
const env = { ...process.env, ...store.env, AUDITLAKE_QUERY_TEXTS_TIME_LIMIT: "0s" };
const auditlake = (...argv: string[]): Promise<Measured> =>
  measure([bin, "--home", home, "--config", config, "--progress", "none", ...argv], env);

await fill();
const { events, untilMs } = await facts();
process.stdout.write(`${events} events; ${cpus().length} cores, Node ${process.versions.node}\n\n`);
const figures = newFigures((line) => void process.stdout.write(`${line}\n`));
await bareCopies();
const publish = async (what: string, aim?: string): Promise<void> =>
  figures.took(what, await auditlake("lake", "publish"), aim);
await publish("first `lake publish`", events >= 9e6 ? "60 s, 1 GB" : undefined);
await publish("nothing changed");
const delta = Math.min(100_000, Math.ceil(events / 10));
const late = makeTraffic({ seed: 2, ...lastTwoDays(), eventsPerDay: Math.ceil(delta / 2) });
const more = await readImport(late);
await publish(`${more} more events in the last two days`, "5 s");
if (values["no-reports"] !== true)
  await lakeReports({ folder, home, lake, store, untilMs, figures, stack });
if (values.json !== undefined) figures.writeTo(values.json);

async function fill(): Promise<void> {
  if (given === undefined) {
    const eventsPerDay = Math.ceil(wanted / historyDays);
    await readImport(
      makeTraffic({ seed: 1, from: today - historyDays * dayMs, to: today, eventsPerDay }),
    );
    return;
  }
  const isTaken = (path: string): boolean => !/\/(?:landing|lake|staging)$/.test(path);
  cpSync(given, home, { recursive: true, filter: isTaken, mode: constants.COPYFILE_FICLONE });
  if (!existsSync(resolveHome(home).published)) throw new Error(`${given} is no home`);
}

async function readImport(traffic: ReturnType<typeof makeTraffic>): Promise<number> {
  const file = join(folder, "events.ndjson");
  const count = await writeEvents(traffic, file);
  await auditlake("import", file);
  rmSync(file);
  return count;
}

function lastTwoDays(): { readonly from: number; readonly to: number } {
  return { from: untilMs - 2 * dayMs, to: untilMs };
}

async function openPublishedFile(): Promise<Database> {
  return openPublished(resolveHome(home).published, { memoryLimit: "500MB" });
}

async function facts(): Promise<{ readonly events: number; readonly untilMs: number }> {
  await using database = await openPublishedFile();
  const sql = "select count(*), epoch_ms(date_trunc('day', max(event_time))) from event_rows";
  const [row] = (await database.connection.runAndReadAll(sql)).getRows();
  return { events: Number(row![0]), untilMs: Number(row![1]) + dayMs };
}

// The lower bound: the database writes the same rows by one statement, without a digest and without a store.
async function bareCopies(): Promise<void> {
  const form = "format parquet, compression zstd, compression_level 1, row_group_size 122880";
  for (const [what, order] of [
    ["as they lie", ""],
    ["sorted", "order by event_date, source, event_time, event_key"],
  ] as const) {
    await using database = await openPublishedFile();
    const before = processorSeconds();
    const start = performance.now();
    const file = join(folder, "bare.parquet");
    await database.connection.run(
      `copy (select * from event_rows ${order}) to '${file}' (${form})`,
    );
    rmSync(file);
    figures.add({
      what: `a bare \`copy\` of \`event_rows\` to one Parquet file, ${what}`,
      value: processorSeconds() - before,
      unit: `processor seconds (${((performance.now() - start) / 1000).toFixed(1)} s)`,
    });
  }
}
