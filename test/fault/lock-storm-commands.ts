import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Random } from "../../fixtures/random.ts";
import { startService } from "../../fixtures/service.ts";
import { lastError, startCli, type Ended, type Started } from "./process.ts";
import { testKey } from "../support/key.ts";

const longestMs = 60_000;
const key = testKey;

/**
 * Several real `ingest` on one home at once, sometimes with a lock left by a killed one. The service delays the
 * winner until all others have exited. Returns the faults.
 */
export async function stormOfCommands(random: Random, count: number): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "auditlake-storm-"));
  const gate = Promise.withResolvers<boolean>();
  const asked = Promise.withResolvers<void>();
  await using service = await gatedService(gate.promise, asked.resolve);
  const start = (): Started =>
    startCli(["--home", join(folder, "home"), "--quiet", "ingest"], {
      AUDITLAKE_BASE_URL: service.url,
      AUDITLAKE_API_KEY: key,
    });
  try {
    if (random.chance(0.5)) await leaveLock(start(), asked.promise);
    const runs = await Promise.all(
      Array.from({ length: count }, () => wait(random.int(0, 50)).then(start)),
    );
    await Promise.race([allButOne(runs), wait(longestMs, undefined, { ref: false })]);
    const waiting = runs.filter((run) => !run.isOver());
    gate.resolve(false);
    const ended = await Promise.all(runs.map((run) => run.ended));
    return listComplaints(ended, waiting);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function leaveLock(holder: Started, asked: Promise<void>): Promise<void> {
  await Promise.race([asked, holder.ended]);
  holder.kill();
  await holder.ended;
}

async function allButOne(runs: readonly Started[]): Promise<void> {
  while (runs.filter((run) => !run.isOver()).length > 1) await wait(20);
}

function listComplaints(ended: readonly Ended[], waiting: readonly Started[]): string[] {
  const codes = ended.map(({ code }) => code).sort();
  const expected = [0, ...ended.slice(1).map(() => 5)];
  if (waiting.length !== 1) return [`${waiting.length} runs held the lock at once`];
  if (codes.join() !== expected.join())
    return [`exit codes ${codes.join(", ")}: ${ended.map(lastError).join("; ")}`];
  const name = `auditlake ingest (process ${waiting[0]!.pid} on `;
  return ended
    .filter((end) => end.code === 5 && !end.err.includes(name))
    .map((end) => `the holder is not named: ${lastError(end)}`);
}

async function gatedService(
  gate: Promise<boolean>,
  asked: () => void,
): Promise<AsyncDisposable & { url: string }> {
  const { url, close } = await startService({
    records: [],
    users: [],
    apiKey: key,
    now: Date.now,
    fault: () => {
      asked();
      return gate;
    },
  });
  return { url, [Symbol.asyncDispose]: close };
}
