import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { readCopy, type TestHome } from "../../../support/home.ts";
import type { Row } from "../../../support/rows.ts";
import { dayMs, eventAt, newRemote, type Remote } from "../../../support/remote.ts";

const start = Date.UTC(2026, 2, 1);

/** A service, and a copy for each test of a home that has read it over four days. */
export type RebuildScene = {
  readonly remote: Remote;
  readonly home: TestHome;
  /** All content of the ledger and the store, except for what a rebuild records of itself. */
  readonly contents: () => Promise<Row[][]>;
  /** Names in a folder of landing, whole. */
  readonly files: (folder: string) => string[];
  /** A file of pages. */
  readonly page: () => string;
};

const queries = [
  "select * from events order by event_key",
  "select * from window_reads order by read_id",
  "select * from ingest_pages order by read_id, page",
  "select * from quarantine order by quarantine_key",
  "select source, finalized_until from checkpoints order by source",
  "select run_id, command, windows, pages, fetched, inserted, duplicate, bytes from ingest_runs order by run_id",
];

/** Runs the days once for a test file: the same log each time, so that windows are finalized. */
export function newRebuildScene(): RebuildScene {
  let remote: Remote;
  let home: TestHome;
  beforeAll(async () => {
    remote = await newRemote(start);
    await remote.serve(
      Array.from({ length: 40 }, (_, i) => eventAt(start - 6 * dayMs + i * (dayMs / 5))),
    );
    for (let run = 0; run < 4; run++) {
      const { code, err } = await remote.ingest();
      if (code !== 0) throw new Error(err);
      remote.clock.nowMs += dayMs;
    }
  });
  afterAll(() => remote[Symbol.asyncDispose]());
  beforeEach(() => void (home = readCopy(remote.home)));
  afterEach(() => home[Symbol.dispose]());
  const files = (folder: string): string[] => {
    const path = join(home.home, "landing", folder);
    return readdirSync(path, { recursive: true }).map((name) => join(path, String(name)));
  };
  return {
    get remote() {
      return remote;
    },
    get home() {
      return home;
    },
    contents: () => Promise.all(queries.map((sql) => home.rows(sql))),
    files,
    page: () => files("pages").find((name) => name.endsWith(".zst"))!,
  };
}
