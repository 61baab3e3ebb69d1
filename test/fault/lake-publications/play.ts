import { makeCompany, listUsers } from "../../../fixtures/company.ts";
import { startService } from "../../../fixtures/service.ts";
import { firstMs } from "../scheduled-runs/years.ts";
import { testKey } from "../../support/key.ts";
import { dayMs } from "../../support/remote.ts";
import type { RunReport } from "../scheduled-runs-process.ts";
import { bytesBelow, newSleeper, type Sleeper } from "./home.ts";
import { buildLog, buildTruth } from "./log.ts";
import { type DayPlan, listDays, type Plan } from "./plan.ts";
import type { Truth } from "../log.ts";

/** Two homes that have read the same days, of which one has pruned. */
export type Played = {
  readonly pruned: Sleeper;
  readonly twin: Sleeper;
  readonly truth: Truth;
  /** The start of the last run. */
  readonly nowMs: number;
  /** What went wrong on the way, a line each. */
  readonly failures: readonly string[];
  /** Bytes of the pruned home after each day. */
  readonly sizes: readonly number[];
  readonly kills: number;
};

const texts = { AUDITLAKE_QUERY_TEXTS_TIME_LIMIT: "120s" };

/** Plays the days below a folder: both homes read each, one publishes to its lake every day and prunes. */
export async function playDays(
  folder: string,
  plan: Plan,
  report: (line: string) => void,
): Promise<Played> {
  const log = buildLog(plan);
  const everybody = listUsers(makeCompany(plan.seed));
  const clock = { nowMs: firstMs, isDown: false };
  const service = await startService({
    records: log,
    // Some leave for good, some are away for a month.
    get users() {
      const month = Math.floor((clock.nowMs - firstMs) / (30 * dayMs));
      return everybody.filter((_, i) => i % 20 !== month % 20 && (i % 7 !== 3 || i > month * 9));
    },
    apiKey: testKey,
    now: () => clock.nowMs,
    fault: (_, response) => {
      if (clock.isDown) response.writeHead(503).end();
      return clock.isDown;
    },
  });
  const env = { AUDITLAKE_BASE_URL: service.url, AUDITLAKE_API_KEY: testKey };
  const source = { base_url: service.url, lookback: "2d" };
  const config = { sources: { prod: source }, threads: 1 };
  const pruned = newSleeper(folder, "pruned", config, env);
  const twin = newSleeper(folder, "twin", config, env);
  const failures: string[] = [];
  const sizes: number[] = [];
  let kills = 0;
  const days = listDays(plan);
  for (const day of days) {
    clock.nowMs = day.nowMs;
    clock.isDown = day.isDown;
    const found = await playDay(day, plan, pruned, twin);
    kills += found.kills;
    failures.push(...found.failures.map((line) => `day ${day.number}: ${line}`));
    sizes.push(bytesBelow(pruned.home.root));
    if (day.number % Math.ceil(plan.days / 20) === 0 || day.number === 60)
      report(formatDay(day, sizes, pruned, twin));
  }
  const { nowMs } = days.at(-1)!;
  // Texts that wait are read in both.
  for (const { run, home } of [pruned, twin])
    for (const argv of [["publish"], ["lake", "publish"]]) {
      const { code, err } = await run(argv, nowMs, texts);
      if (code !== 0) failures.push(`${argv.join(" ")} of ${home.root} ended with ${code}: ${err}`);
    }
  await service.close();
  return { pruned, twin, truth: buildTruth(log, nowMs), nowMs, failures, sizes, kills };
}

type Outcome = { readonly failures: readonly string[]; readonly kills: number };

async function playDay(day: DayPlan, plan: Plan, pruned: Sleeper, twin: Sleeper): Promise<Outcome> {
  const { nowMs, killed } = day;
  const env = day.readsTexts ? texts : {};
  const read = day.isDown ? 1 : 0;
  const failures: string[] = [];
  const note = (argv: readonly string[], { code, err }: RunReport, wanted: number): void => {
    if (code !== wanted) failures.push(`${argv.join(" ")} ended with ${code}: ${err.trim()}`);
  };
  note(["ingest"], await twin.run(["ingest"], nowMs, env), read);
  if (day.rebuilds) note(["rebuild"], await pruned.run(["rebuild"], nowMs, texts), 0);
  let kills = 0;
  const before = new Date(nowMs - plan.kept * dayMs).toISOString().slice(0, 10);
  const prune = { argv: ["prune", "--events", "--before", before, "--yes"], code: 0 };
  const ingest = { argv: ["ingest", "--lake"], code: read };
  for (const { argv, code } of [ingest, ...(day.prunes ? [prune] : [])]) {
    if (killed?.verb !== argv[0]) {
      note(argv, await pruned.run(argv, nowMs, env), code);
      continue;
    }
    const again = await pruned.runKilled(argv, nowMs, killed!.share);
    if (again.isKilled) kills += 1;
    note(argv, again, code);
  }
  return { failures, kills };
}

function formatDay(
  { number }: DayPlan,
  sizes: readonly number[],
  pruned: Sleeper,
  twin: Sleeper,
): string {
  const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
  const seconds = ({ cpuMs }: Sleeper): string => (cpuMs() / 1000).toFixed(0);
  return `${number} days: home ${mb(sizes.at(-1)!)}, twin ${mb(bytesBelow(twin.home.root))}, lake ${mb(bytesBelow(pruned.lake))}; processor seconds ${seconds(pruned)} and ${seconds(twin)}`;
}
