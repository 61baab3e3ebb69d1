import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { listUsers } from "../../fixtures/company.ts";
import { startService } from "../../fixtures/service.ts";
import { makeTraffic } from "../../fixtures/traffic.ts";
import { readAsset } from "../../pipeline/base/home/assets.ts";
import { resolveHome } from "../../pipeline/base/home/layout.ts";
import { openPublished } from "../../pipeline/core/store/open.ts";
import { writeEvents } from "./events-file.ts";
import {
  dayMs,
  measure,
  median,
  medianWork,
  processorSeconds,
  untilPublished,
  type Measured,
} from "./measure.ts";
import { reportTimes } from "./report-times.ts";
import { bin, byDefault, today, type Context } from "./traffic.ts";

const days = 365;
// A separate source: events that the service of the look-back does not have would count as missing there, and be
// looked for at each read.
const load = ["import", "--source", "files"];

/**
 * What grows with the history and what does not: a year of this number of events, queried and extended like a new
 * home. Returns the seconds until the rows of 100,000 more are published.
 */
export async function historyCases(context: Context, events: number): Promise<number> {
  const home = join(context.folder, "history");
  const auditlake = (...argv: string[]): Promise<Measured> =>
    measure([bin, "--home", home, "--progress", "none", ...argv]);
  const count = await fill(context, events, auditlake);
  await ask(context, home, count, historyCommand(events));
  const seconds = await add(context, count, historyCommand(events), (...argv) =>
    measure(
      [bin, "--home", home, "--progress", "none", ...argv],
      byDefault,
      resolveHome(home).published,
    ),
  );
  await readAgain(context, home);
  rmSync(home, { recursive: true });
  return seconds;
}

/** The command that measures these cases alone. */
export function historyCommand(events: number): string {
  return `node test/bench/table.ts ${events} --only history`;
}

type Run = (...argv: string[]) => Promise<Measured>;

async function fill({ folder, figures }: Context, events: number, auditlake: Run): Promise<number> {
  const files = Array.from({ length: 12 }, (_, i) => join(folder, `${i}.ndjson`));
  const border = (i: number): number => today - days * dayMs + Math.floor((i * days) / 12) * dayMs;
  const eventsPerDay = Math.ceil(events / days);
  let count = 0;
  for (const [i, file] of files.entries()) {
    const month = { seed: 1, from: border(i), to: border(i + 1), eventsPerDay };
    count += await writeEvents(makeTraffic(month), file);
  }
  const filled = await auditlake(...load, ...files);
  figures.took(`\`import\` of ${count} events of a year, 12 files`, filled);
  figures.add({
    what: `peak of \`import\`, ${count} events of a year`,
    value: filled.peakMb,
    unit: "MB",
    aim: "900",
    command: historyCommand(events),
  });
  for (const file of files) rmSync(file);
  return count;
}

async function ask(
  { rounds, figures }: Context,
  home: string,
  count: number,
  command: string,
): Promise<void> {
  const { published } = resolveHome(home);
  const bytes = statSync(published).size;
  figures.add({
    what: "bytes an event in `audit.duckdb`",
    value: bytes / count,
    unit: "bytes",
    aim: "120",
  });
  await using database = await openPublished(published, { memoryLimit: "1GB" });
  const { connection } = database;
  const times = (await reportTimes(connection, today)).toSorted((a, b) => b.seconds - a.seconds);
  const ofReports = `of ${times.length} reports over 30 days of ${count} events`;
  const [slowest, middle] = [times[0]!, times[times.length >> 1]!];
  figures.add({
    what: `slowest ${ofReports}: \`${slowest.name}\``,
    value: slowest.seconds,
    unit: "s",
    aim: "0.5",
    command,
  });
  figures.add({ what: `median ${ofReports}`, value: middle.seconds, unit: "s", aim: "0.2" });
  const found = await connection.runAndReadAll("select event_key from events limit 1");
  const key = String(found.getRows()[0]![0]);
  const ways = [
    [
      "an event by its key, in `serve`",
      readAsset("queries/pages/event/event.sql"),
      { event_key: key },
    ],
    ["an event by its key, own SQL", "select * from event($key)", { key }],
    ["the same as a condition", "select * from events where event_key = $key", { key }],
  ] as const;
  for (const [what, sql, values] of ways) {
    const took: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const before = processorSeconds();
      await connection.runAndReadAll(sql, values);
      took.push(processorSeconds() - before);
    }
    const middleOf = took.toSorted((a, b) => a - b)[took.length >> 1]!;
    figures.add({ what, value: middleOf, unit: "s of the processor", aim: "0.5" });
  }
}

async function add(
  { folder, rounds, figures }: Context,
  count: number,
  command: string,
  auditlake: Run,
): Promise<number> {
  const [published, added]: Measured[][] = [[], []];
  const wanted = Math.min(100_000, Math.round(count / 10));
  const file = join(folder, "more.ndjson");
  for (let round = 0; round < rounds; round++) {
    const more = {
      seed: 2 + round,
      from: today,
      to: today + 4 * dayMs,
      eventsPerDay: wanted / 3.8,
    };
    await writeEvents(
      makeTraffic({ ...more, eventsPerDay: Math.ceil(more.eventsPerDay) }),
      file,
      wanted,
    );
    published!.push(await auditlake("publish"));
    added!.push(await auditlake(...load, file));
    rmSync(file);
  }
  for (const [what, all] of [
    [`\`publish\` of ${count} events`, published!],
    [`${wanted} new on ${count}`, added!],
  ] as const) {
    figures.took(`${what}, until rows are published`, medianWork(all.map(untilPublished)));
    figures.took(`${what}, until the texts of its time are published`, medianWork(all));
  }
  const { seconds } = median(added!.map(untilPublished));
  figures.add({
    what: `${wanted} events onto ${count}, until rows are published`,
    value: seconds,
    unit: "s",
    aim: "4",
    command,
  });
  return seconds;
}

async function readAgain({ rounds, figures }: Context, home: string): Promise<void> {
  const now = today + dayMs / 4;
  const recent = makeTraffic({ seed: 30, from: today - 3 * dayMs, to: now, eventsPerDay: 27_500 });
  const service = await startService({
    records: recent,
    users: listUsers(recent.company),
    apiKey: "bench",
    now: () => now,
  });
  const env = { ...process.env, AUDITLAKE_BASE_URL: service.url, AUDITLAKE_API_KEY: "bench" };
  const argv = [bin, "--home", home, "--progress", "none", "ingest"];
  try {
    figures.took("`ingest`, 2 days of look-back, all new", await measure(argv, env));
    figures.took("  the same, windows confirmed", await measure(argv, env));
    const nothing: Measured[] = [];
    const before = processorSeconds();
    for (let round = 0; round < rounds; round++) nothing.push(await measure(argv, env));
    const ofService = (processorSeconds() - before) / rounds;
    figures.took("nothing new, 2 days of look-back", medianWork(nothing));
    figures.add({ what: "  the service meanwhile", value: ofService, unit: "s of the processor" });
  } finally {
    await service.close();
  }
}
