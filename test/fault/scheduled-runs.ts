import { fork } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeCompany, listUsers } from "../../fixtures/company.ts";
import { startService } from "../../fixtures/service.ts";
import { resolveHome, type Home } from "../../pipeline/base/home/layout.ts";
import { dayMs, hourMs } from "../support/remote.ts";
import { ask } from "./children.ts";
import type { Figure, Measured } from "./figure.ts";
import { listEvents, markedLog, truthOfMarks } from "./log.ts";
import { growthNote, listGrowth, type RunSize } from "./scheduled-runs-growth.ts";
import type { RunOrder, RunReport } from "./scheduled-runs-process.ts";
import { compare, look, sizeOfCopy, withPublished } from "./store.ts";
import { testKey } from "../support/key.ts";

const eventsPerDay = 600;
const firstDay = Date.UTC(2025, 0, 1);
// The number of times that the file is compared with a fresh copy of itself.
const copies = 15;
const key = testKey;
const processFile = fileURLToPath(new URL("scheduled-runs-process.ts", import.meta.url));
// The language's reserve for new objects has its full size from the start: grown on the way, it looks like a leak.
const execArgv = ["--expose-gc", "--min-semi-space-size=16", "--max-semi-space-size=16"];

/** A year of scheduled runs on one home, by a clock that the test sets. */
export const scheduledRunsFigure: Figure = {
  name: "scheduled-runs",
  unit: "runs",
  asked: "0 lost, 0 doubled, file linear in events, memory and length of a run flat",
  long: 365,
  short: 6,
  perSeed: 365,
  run,
};

async function run(count: number, seed: number, report: (line: string) => void): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), "auditlake-runs-"));
  const log = markedLog({ seed, from: firstDay, to: firstDay + count * dayMs, eventsPerDay });
  const clock = { nowMs: firstDay };
  const users = listUsers(makeCompany(seed));
  const service = await startService({ records: log, users, apiKey: key, now: () => clock.nowMs });
  const env = { AUDITLAKE_BASE_URL: service.url, AUDITLAKE_API_KEY: key };
  const home = resolveHome(join(folder, "home"));
  const sleeper = fork(processFile, { execArgv });
  const runs: RunSize[] = [];
  const failures: string[] = [];
  try {
    for (let i = 1; i <= count; i++) {
      clock.nowMs = firstDay + i * dayMs + 2 * hourMs;
      const argv = ["--home", home.root, "ingest"];
      const order: RunOrder = { argv, env, nowMs: clock.nowMs };
      const ended = await ask<RunReport>(sleeper, order);
      if (ended.code !== 0) failures.push(`run ${i} ended with ${ended.code}: ${ended.err}`);
      const isCopied = i % Math.ceil(count / copies) === 0;
      const copy = isCopied ? await sizeOfCopy(home.published, join(folder, "copy")) : undefined;
      runs.push({ ...(await measureRun(home, ended)), compactBytes: copy });
      if (i % Math.ceil(count / 20) === 0) report(`${i} runs: ${JSON.stringify(runs.at(-1))}`);
    }
    const shown = listEvents(log).filter(({ visibleAt }) => visibleAt <= clock.nowMs);
    const wrong = await withPublished(home.published, async (query) => [
      ...(await look(query)).complaints,
      ...(await compare(query, truthOfMarks(shown))),
    ]);
    failures.push(...wrong, ...listGrowth(runs));
  } finally {
    sleeper.disconnect();
    await service.close();
    rmSync(folder, { recursive: true });
  }
  const seeded = failures.map((failure) => `seed ${seed}: ${failure}`);
  return { done: runs.length, failures: seeded, note: growthNote(runs) };
}

const ledger = ["ingest_runs", "window_reads", "ingest_pages", "user_history"];

async function measureRun(
  home: Home,
  { cpuMs, residentMb }: RunReport,
): Promise<Omit<RunSize, "compactBytes">> {
  const counts = ledger.map((table) => `(select count(*) from ${table}) as ${table}`).join(", ");
  const [row] = await withPublished(home.published, (query) =>
    query(`select (select count(*) from events) as events, ${counts}`),
  );
  const count = (name: string): number => Number(row?.[name]);
  const rows = ledger.reduce((sum, table) => sum + count(table), 0);
  const bytes = statSync(home.published).size;
  return { events: count("events"), ledgerRows: rows, bytes, cpuMs, residentMb };
}
