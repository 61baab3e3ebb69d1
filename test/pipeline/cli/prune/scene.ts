import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { readCopy, type TestHome } from "../../../support/home.ts";
import type { Outcome } from "../../../support/command.ts";
import type { Row } from "../../../support/rows.ts";
import { dayMs, eventAt, hourMs, newRemote, type Remote } from "../../../support/remote.ts";

export const startMs = Date.UTC(2026, 2, 1);
/** Three windows and a file are older, windows after it are read day by day. */
export const cut = "2026-02-25";
export const isOld = `event_time < '${cut}'`;
/** Occurs only in the older events and the older quarantined record. */
export const marker = "PLANTED-7f3a";

/** A service and a home that has read it over some days, and a file. */
async function servedRemote(): Promise<Remote> {
  const remote = await newRemote(startMs);
  const old = (hours: number) =>
    eventAt(startMs - 7 * dayMs + hours * hourMs, 0, { old_value: `${marker}-${hours}` });
  const young = (hours: number) => eventAt(startMs - 4 * dayMs + hours * hourMs, 0);
  await remote.serve([
    ...Array.from({ length: 30 }, (_, i) => old(2 * i)),
    ...Array.from({ length: 40 }, (_, i) => young(2 * i)),
  ]);
  const outcomes = [await remote.ingest(["--from", "2026-02-22", "--to", "2026-02-27"])];
  for (let run = 0; run < 3; run++) {
    outcomes.push(await remote.ingest());
    remote.clock.nowMs += dayMs;
  }
  const time = (startMs - 7 * dayMs) / 1000;
  const lines = `{"time":${time},"event_name":"sign_in","old_value":"${marker}-file"}\n{"${marker}":\n`;
  const file = remote.home.write("old.ndjson", lines);
  const now = (): number => remote.clock.nowMs;
  const failed = outcomes.find(({ code }) => code !== 0);
  if (failed !== undefined) throw new Error(failed.err);
  const imported = await remote.home.run(["import", file], { now });
  if (imported.code !== 6) throw new Error(imported.err);
  return remote;
}

/** A copy of the scene's home that a test prunes. */
export type Stage = Disposable & {
  readonly home: TestHome;
  readonly prune: (...argv: string[]) => Promise<Outcome>;
  /** Names of landed files in `reads`, `pages` or `pruned`. */
  readonly names: (folder: string) => string[];
  readonly landed: () => Record<string, string[]>;
  readonly events: () => Promise<Row[]>;
  /** Everything else that the database holds. */
  readonly ledger: () => Promise<Row[][]>;
};

const ledgerQueries = [
  "select * from window_reads order by read_id",
  "select * from ingest_pages order by read_id, page",
  "select run_id, command, windows, pages, fetched, inserted, bytes from ingest_runs order by run_id",
  "select * from prunes order by prune_id",
  "select * from pruned_reads order by read_id",
  "select source, finalized_until from checkpoints",
  "select * from quarantine order by quarantine_key",
];

function buildStage(remote: Remote): Stage {
  const home = readCopy(remote.home);
  const names = (name: string): string[] => {
    const folder = join(home.home, "landing", name);
    if (!existsSync(folder)) return [];
    const found = readdirSync(folder, { recursive: true }).map(String);
    return found.filter((file) => /\.(json|zst)$/.test(file)).sort();
  };
  return {
    home,
    names,
    prune: (...argv) =>
      home.run(["prune", "--before", cut, ...argv], { now: () => remote.clock.nowMs }),
    landed: () =>
      Object.fromEntries(["reads", "pages", "pruned"].map((folder) => [folder, names(folder)])),
    events: () => home.rows("select * from events order by event_key"),
    ledger: () => Promise.all(ledgerQueries.map((sql) => home.rows(sql))),
    [Symbol.dispose]: () => home[Symbol.dispose](),
  };
}

/** The service of a test file, and the stage of the test that is running. */
export type Scene = { readonly remote: Remote; readonly stage: Stage; readonly home: TestHome };

/** Prepares the service once for a test file, and a stage before each test. */
export function newScene(): Scene {
  let remote: Remote;
  let stage: Stage;
  beforeAll(async () => {
    remote = await servedRemote();
  });
  afterAll(() => remote[Symbol.asyncDispose]());
  beforeEach(() => {
    stage = buildStage(remote);
  });
  afterEach(() => stage[Symbol.dispose]());
  return {
    get remote() {
      return remote;
    },
    get stage() {
      return stage;
    },
    get home() {
      return stage.home;
    },
  };
}
