import { createWriteStream, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { usersOf } from "../../fixtures/company.ts";
import { startService } from "../../fixtures/service.ts";
import { trafficOf, type Traffic } from "../../fixtures/traffic.ts";
import { readAsset } from "../../pipeline/home/assets.ts";
import { homeAt } from "../../pipeline/home/layout.ts";
import { openPublished } from "../../pipeline/store/open.ts";
import { dayMs, measure, processorSeconds } from "./measure.ts";
import { reportTimes } from "./report-times.ts";

// What grows with the history and what does not: a year of events in a home, then the same questions and runs as a
// young home is asked. Options: number of events (default 1000000), days (default 365).
const events = Number(process.argv[2] ?? 1_000_000);
const days = Number(process.argv[3] ?? 365);
const seed = 1;
const bin = new URL("../../pipeline/bin.ts", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "auditlake-history-"));
const home = join(folder, "home");
const to = Math.floor(Date.now() / dayMs) * dayMs;
const perDay = Math.ceil(events / days);

type Line = { readonly what: string; readonly value: number; readonly unit: string };
const lines: Line[] = [];
const note = (what: string, value: number, unit: string): void => {
  lines.push({ what, value, unit });
  process.stdout.write(`${what.padEnd(56)} ${value.toFixed(2).padStart(10)} ${unit}\n`);
};

const traffic = (from: number, until: number): Traffic =>
  trafficOf({ seed, from, to: until, eventsPerDay: perDay });

async function write(file: string, from: Traffic, limit: number): Promise<number> {
  const out = createWriteStream(file);
  let count = 0;
  for (const event of from.events()) {
    if (count === limit) break;
    count += 1;
    if (!out.write(`${JSON.stringify(event.record)}\n`)) await once(out, "drain");
  }
  out.end();
  await once(out, "finish");
  return count;
}

const auditlake = (...argv: string[]): ReturnType<typeof measure> =>
  measure([bin, "--home", home, "--progress", "none", ...argv]);

async function fill(): Promise<number> {
  const files = Array.from({ length: 12 }, (_, i) => join(folder, `${i}.ndjson`));
  const start = to - days * dayMs;
  const border = (i: number): number => start + Math.floor((i * days) / 12) * dayMs;
  let count = 0;
  for (const [i, file] of files.entries())
    count += await write(file, traffic(border(i), border(i + 1)), Number.POSITIVE_INFINITY);
  const whole = await auditlake("import", ...files);
  note(`import of ${count} events`, whole.seconds, "s");
  note("  peak memory", whole.peakMb, "MB");
  for (const file of files) rmSync(file);
  return count;
}

async function ask(count: number): Promise<void> {
  const { published } = homeAt(home);
  note("bytes an event in audit.duckdb", statSync(published).size / count, "bytes");
  await using database = await openPublished(published, { memoryLimit: "1GB" });
  const times = await reportTimes(database.connection, to);
  const sorted = times.toSorted((a, b) => a.seconds - b.seconds);
  note("reports over 30 days: median", sorted[sorted.length >> 1]!.seconds, "s");
  for (const { name, seconds } of sorted.slice(-5).reverse()) note(`  ${name}`, seconds, "s");
  const { connection } = database;
  const some = await connection.runAndReadAll(
    "select event_key from events where event_time >= '2000-01-01' limit 1",
  );
  const key = String(some.getRows()[0]![0]);
  const start = performance.now();
  await connection.runAndReadAll(readAsset("queries/serve/event.sql"), { event_key: key });
  note("an event by its key", (performance.now() - start) / 1000, "s");
  const plain = performance.now();
  await connection.runAndReadAll("select * from events where event_key = $key", { key });
  note("  by a statement of one's own", (performance.now() - plain) / 1000, "s");
}

async function addMore(): Promise<void> {
  const file = join(folder, "more.ndjson");
  const more = trafficOf({ seed: 2, from: to, to: to + 4 * dayMs, eventsPerDay: 26_000 });
  const count = await write(file, more, 100_000);
  note("publish", (await auditlake("publish")).seconds, "s");
  note(`import of ${count} more, published`, (await auditlake("import", file)).seconds, "s");
  note("  the same file again", (await auditlake("import", file)).seconds, "s");
}

async function readAgain(): Promise<void> {
  const now = to + 6 * 3_600_000;
  const recent = trafficOf({ seed: 3, from: to - 3 * dayMs, to: now, eventsPerDay: 27_500 });
  const service = await startService({
    records: recent,
    users: usersOf(recent.company),
    apiKey: "bench",
    now: () => now,
  });
  const env = { ...process.env, AUDITLAKE_BASE_URL: service.url, AUDITLAKE_API_KEY: "bench" };
  const argv = [bin, "--home", home, "--progress", "none", "ingest"];
  try {
    for (const what of [
      "a first run over 2 days",
      "nothing new, closed windows confirmed",
      "nothing new",
    ]) {
      const before = processorSeconds();
      const run = await measure(argv, env);
      note(`${what}, published`, run.seconds, "s");
      note("  of the service, processor", processorSeconds() - before, "s");
    }
  } finally {
    await service.close();
  }
}

try {
  mkdirSync(folder, { recursive: true });
  const count = await fill();
  await ask(count);
  await addMore();
  await readAgain();
  process.stdout.write(`${JSON.stringify(lines)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
